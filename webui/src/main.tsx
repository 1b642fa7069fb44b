import "@mantine/core/styles.css";
import "@mantine/notifications/styles.css";
import "./main.css";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { answered } from "./api/query-client";
import { App } from "./app";
import { cspNonce } from "./csp";
import { startI18n } from "./i18n";
import { router } from "./router";

/** How long an empty page waits for its first answers, in ms, before it shows that they are missing. */
const patience = 250;

// react-remove-scroll, inside Mantine's dialogs, takes its style nonce from here.
Object.assign(globalThis, { __webpack_nonce__: cspNonce() });

// The page's code and data are on their way meanwhile.
void router.load();
await startI18n();
// Drawn with what it shows, the page takes less time than drawn empty and once more.
await Promise.race([answered(), new Promise((resolve) => setTimeout(resolve, patience))]);

const root = document.getElementById("root");
if (root) {
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
}
