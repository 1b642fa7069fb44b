// Writes a .gz and a .br beside every text asset of the build, for embed.go to serve.
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { extname, join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

const compressible = new Set([".js", ".css", ".svg", ".json", ".wasm"]);
const minBytes = 1024; // below this the headers outweigh the gain
const largeBytes = 2 * 1024 * 1024; // above this the best compression takes too long

for (const entry of readdirSync("dist", { recursive: true, withFileTypes: true })) {
  if (!entry.isFile() || !compressible.has(extname(entry.name))) continue;
  const path = join(entry.parentPath, entry.name);
  const content = readFileSync(path);
  if (content.length < minBytes) continue;
  writeFileSync(`${path}.gz`, gzipSync(content, { level: 9 }));
  writeFileSync(`${path}.br`, brotliCompressSync(content, qualityOf(content)));
}

function qualityOf({ length }) {
  const { BROTLI_MAX_QUALITY, BROTLI_PARAM_QUALITY } = constants;
  return { params: { [BROTLI_PARAM_QUALITY]: length > largeBytes ? 6 : BROTLI_MAX_QUALITY } };
}
