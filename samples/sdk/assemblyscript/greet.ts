// A job in AssemblyScript that uses the guest SDK. Its sisters in Go, Rust and C do the
// same.
import * as gw from "./gw";

export function gw_run(): i32 {
  const name = gw.param();
  const shard = gw.shard();
  gw.log(`hello ${name}, from AssemblyScript: shard ${shard.index} of ${shard.total}`);
  gw.progress(50, "half way");

  const digest = gw.hash("sha256", name);
  if (digest.text === null) return 1;
  gw.info("sha256 " + digest.text!);

  // Denied, unless the version's manifest has kv: true.
  const greeted = gw.kv.get("greeted");
  if (greeted.error !== null) gw.warn(greeted.error!);

  const encoded = gw.base64.encode(name);
  if (encoded.text === null) return 1;
  const decoded = gw.base64.decode(encoded.text!);
  if (decoded.text === null) return 1;
  gw.result("greeted " + decoded.text!);
  return 0;
}
