import { Signal } from "./signal";

/** False from the first request that got no answer until the admin answers again. */
export const reachable = new Signal(true);

/** True while a session that was valid has ended and the person has not logged in again. */
export const expired = new Signal(false);

/** True while somebody else than this page's person is logged in with this browser. */
export const replaced = new Signal(false);

/** True once this page has seen a valid session. */
export const established = new Signal(false);

/**
 * Marks the session as ended and waits until the person is logged in again, so that
 * a request can be repeated and nothing that was typed is lost.
 */
export function waitForLogin(signal?: AbortSignal | null): Promise<void> {
  expired.set(true);
  return new Promise((resolve, reject) => {
    const stop = expired.subscribe(() => {
      if (expired.get()) return;
      stop();
      resolve();
    });
    signal?.addEventListener("abort", () => {
      stop();
      reject(signal.reason);
    });
  });
}
