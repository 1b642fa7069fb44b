import { established, reachable, waitForLogin } from "../session/state";
import { toRefusal, UnreachableError } from "./problem";
import type { Artifact } from "./types";

/** Uploads a module and tells how far it got, from 0 to 1; fetch cannot tell that. */
export async function uploadArtifact(
  module: Blob,
  onProgress: (fraction: number) => void,
  signal: AbortSignal,
): Promise<Artifact> {
  for (;;) {
    const { status, body } = await send(module, onProgress, signal);
    if (status === 401 && established.get()) {
      await waitForLogin(signal);
      continue;
    }
    if (status < 200 || status > 299) throw await toRefusal(status, body);
    return body as Artifact;
  }
}

function send(
  module: Blob,
  onProgress: (fraction: number) => void,
  signal: AbortSignal,
): Promise<{ status: number; body: unknown }> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("POST", "/api/v1/artifacts");
    request.setRequestHeader("Content-Type", "application/wasm");
    request.responseType = "json";
    request.upload.addEventListener("progress", ({ loaded, total }) =>
      onProgress(total > 0 ? loaded / total : 0),
    );
    request.addEventListener("load", () =>
      resolve({ status: request.status, body: request.response }),
    );
    request.addEventListener("error", () => {
      reachable.set(false);
      reject(new UnreachableError("upload"));
    });
    request.addEventListener("abort", () => reject(signal.reason));
    signal.addEventListener("abort", () => request.abort(), { once: true });
    request.send(module);
  });
}
