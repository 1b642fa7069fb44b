// Fails when what the browser loads before the first page is drawn weighs too much:
// index.html and everything that it names, gzipped. The editor is loaded later.
import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";

const limitBytes = 300 * 1024;

const html = readFileSync("dist/index.html", "utf8");
const assets = [...html.matchAll(/(?:src|href)="\/([^"]+)"/g)].map((match) => match[1]);
let total = gzipSync(html).length;
for (const asset of assets) {
  const size = gzipSync(readFileSync(`dist/${asset}`)).length;
  total += size;
  process.stdout.write(`${(size / 1024).toFixed(1).padStart(8)} KB  ${asset}\n`);
}
process.stdout.write(
  `${(total / 1024).toFixed(1).padStart(8)} KB  first load, gzipped (limit ${limitBytes / 1024} KB)\n`,
);
if (total > limitBytes) {
  process.stderr.write("The first load is too heavy: load more of it lazily.\n");
  process.exit(1);
}
