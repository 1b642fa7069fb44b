import "@mantine/core/styles.css";
import "@mantine/notifications/styles.css";
import "./main.css";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { queries } from "./api/queries";
import { queryClient } from "./api/query-client";
import { App } from "./app";
import { cspNonce } from "./csp";
import { startI18n } from "./i18n";
import { wasLoggedIn } from "./session/remember";

// react-remove-scroll, inside Mantine's dialogs, takes its style nonce from here.
Object.assign(globalThis, { __webpack_nonce__: cspNonce() });

// Nothing is shown before it is known who looks: the answer is on its way meanwhile.
if (wasLoggedIn()) void queryClient.prefetchQuery(queries.me());
await startI18n();

const root = document.getElementById("root");
if (root) {
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
}
