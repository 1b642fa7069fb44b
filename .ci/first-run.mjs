// Waits until the gluewheel at a URL is ready and one of its runs has succeeded.
//   node first-run.mjs URL PASSWORD_FILE PID
// Gives up after 25 minutes (all is compiled first), or when the process PID has ended.
import { existsSync, readFileSync } from "node:fs";
import { setTimeout } from "node:timers/promises";

const [url, passwordFile, pid] = process.argv.slice(2);
const deadline = performance.now() + 25 * 60_000;

/** Asks until the answer is good. */
async function until(what, ask) {
  for (;;) {
    if (await ask().catch(() => false)) return;
    if (!existsSync(`/proc/${pid}`)) throw new Error(`make run has ended: ${what} did not come`);
    if (performance.now() > deadline) throw new Error(`${what} did not come in time`);
    await setTimeout(200);
  }
}

await until("a ready admin", async () => (await fetch(`${url}/readyz`)).status === 200);
const begun = new Date().toISOString();

let cookie = "";
await until("a login", async () => {
  const response = await fetch(`${url}/api/v1/login`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ username: "admin", password: readFileSync(passwordFile, "utf8").trim() }),
  });
  cookie = response.headers.getSetCookie().map((c) => c.split(";")[0]).join("; ");
  return response.ok;
});
await until("a succeeded run", async () => {
  const query = new URLSearchParams({ state: "succeeded", from: begun, limit: "1" });
  const response = await fetch(`${url}/api/v1/runs?${query}`, { headers: { cookie } });
  return response.ok && (await response.json()).items.length === 1;
});
