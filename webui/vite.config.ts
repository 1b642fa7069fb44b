import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";

// Replaced by webui/embed.go with a fresh nonce in every answer.
const noncePlaceholder = "GLUEWHEEL_CSP_NONCE";

export default defineConfig({
  plugins: [react()],
  html: { cspNonce: noncePlaceholder },
  build: {
    // The first versions with CSS light-dark(), on which both colour schemes rest.
    target: ["chrome123", "edge123", "firefox120", "safari17.5"],
    // The polyfill would be an extra module in front of the first load.
    modulePreload: { polyfill: false },
    // Inlined assets would need data: in more directives of the CSP.
    assetsInlineLimit: 0,
    rolldownOptions: {
      output: {
        codeSplitting: {
          // What every page needs changes seldom: browsers keep it over releases.
          groups: [
            {
              name: "vendor",
              test: /node_modules\/(react|react-dom|scheduler|@tanstack|i18next|react-i18next|openapi-fetch)\//,
              priority: 2,
            },
            { name: "first", tags: ["$initial"], priority: 1 },
            // What several pages share: one file instead of twenty that wait for each other.
            {
              name: "pages",
              test: /node_modules\/(@mantine|@tabler)\/|src\/(jobs|runs|ui)\//,
              minShareCount: 2,
            },
          ],
        },
      },
    },
  },
  server: {
    // The admin compares Origin with Host: the browser's Host has to reach it.
    proxy: {
      "/api": { target: process.env.GW_URL ?? "http://127.0.0.1:8080", changeOrigin: false },
    },
  },
  worker: { format: "es" },
  test: { include: ["src/**/*.test.{ts,tsx}"] },
});
