/** The nonce under which this page may add style elements; see webui/embed.go. */
export function cspNonce(): string {
  return document.querySelector<HTMLMetaElement>("meta[property=csp-nonce]")?.nonce ?? "";
}
