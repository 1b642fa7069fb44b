import { Badge, createTheme, type CSSVariablesResolver, MantineProvider, Menu } from "@mantine/core";
import { Notifications } from "@mantine/notifications";
import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { queryClient } from "./api/query-client";
import { cspNonce } from "./csp";
import { router } from "./router";

const theme = createTheme({
  primaryColor: "cyan",
  primaryShade: 9, // dark enough for white words on it
  defaultRadius: "md",
  cursorType: "pointer",
  components: {
    // Words such as states are never cut or shouted.
    Badge: Badge.extend({ defaultProps: { tt: "none", miw: "max-content" } }),
    // The first item gets the focus itself: beside items a menu may hold nothing that takes it.
    Menu: Menu.extend({ defaultProps: { withInitialFocusPlaceholder: false } }),
  },
  fontFamily:
    'system-ui, -apple-system, "Segoe UI", "PingFang SC", "Microsoft YaHei", "Noto Sans SC", "WenQuanYi Micro Hei", sans-serif',
  fontFamilyMonospace:
    'ui-monospace, "JetBrains Mono", "Cascadia Code", Menlo, Consolas, "DejaVu Sans Mono", monospace',
});

// Mantine's are too pale to be read by everybody.
const resolveVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    "--mantine-color-dimmed": "#5c636a",
    "--mantine-color-error": "#c92a2a",
    "--mantine-color-cyan-light-color": "#095c6b",
    "--mantine-color-teal-light-color": "#056148",
    "--mantine-color-yellow-light-color": "#7a4a00",
    "--mantine-color-orange-light-color": "#9c3500",
    "--mantine-color-red-light-color": "#b02525",
  },
  dark: { "--mantine-color-dimmed": "#a6a6a6", "--mantine-color-error": "#ff8787" },
});

export function App() {
  return (
    <MantineProvider
      theme={theme}
      defaultColorScheme="auto"
      getStyleNonce={cspNonce}
      cssVariablesResolver={resolveVariables}
    >
      <QueryClientProvider client={queryClient}>
        <Notifications position="bottom-right" />
        <RouterProvider router={router} />
      </QueryClientProvider>
    </MantineProvider>
  );
}
