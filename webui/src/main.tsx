import "@mantine/core/styles.css";
import "@mantine/notifications/styles.css";
import "./main.css";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./app";
import { cspNonce } from "./csp";
import { startI18n } from "./i18n";
import { router } from "./router";

// react-remove-scroll, inside Mantine's dialogs, takes its style nonce from here.
Object.assign(globalThis, { __webpack_nonce__: cspNonce() });

// The page's code and data are on their way meanwhile.
void router.load();
await startI18n();

const root = document.getElementById("root");
if (root) {
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
}
