// Compiles the AssemblyScript and WAT samples into dist/; the Go one is built by make.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import asc from "assemblyscript/asc";
import wabt from "wabt";

mkdirSync("dist", { recursive: true });

const { error, stderr } = await asc.main([
  "fibonacci/fibonacci.ts", "--outFile", "dist/fibonacci.wasm", "-O", "--runtime", "stub", "--use", "abort=",
]);
if (error) {
  console.error(stderr.toString());
  process.exit(1);
}

const text = readFileSync("tick/tick.wat", "utf8");
const module = (await wabt()).parseWat("tick.wat", text);
module.validate();
writeFileSync("dist/tick.wasm", module.toBinary({}).buffer);
