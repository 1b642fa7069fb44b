import { established, reachable, waitForLogin } from "../session/state";
import { UnreachableError } from "./problem";

const loginPath = "/api/v1/login";

/**
 * Sends a request and watches over the session and the connection: a request that
 * finds the session ended waits for the new login and is sent again.
 */
export async function guardedFetch(request: Request): Promise<Response> {
  const again = request.clone();
  const afterLogin = request.clone();
  const response = await send(request);
  const isLogin = new URL(request.url).pathname === loginPath;
  if (response.status !== 401 || isLogin || !established.get()) return response;
  // A change of the password gives the session another cookie, perhaps meanwhile.
  const second = await send(again);
  if (second.status !== 401) return second;
  await waitForLogin(request.signal);
  return send(afterLogin);
}

async function send(request: Request): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(request);
  } catch (cause) {
    if (request.signal.aborted) throw cause;
    reachable.set(false);
    throw new UnreachableError(cause);
  }
  // A reverse proxy answers for a stopped admin, but never with problem details.
  const isProxyAnswer =
    response.status >= 502 &&
    response.status <= 504 &&
    !response.headers.get("Content-Type")?.includes("json");
  reachable.set(!isProxyAnswer);
  if (isProxyAnswer) throw new UnreachableError(response.status);
  return response;
}
