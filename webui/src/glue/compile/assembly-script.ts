import asc from "assemblyscript/asc";
import type { CodeProblem, Compiled } from "./problem";

const file = "source.ts";
const output = "module.wasm";
// No abort import: a trap says as much. The runtime that never frees suits short jobs;
// a source may ask for memory as it likes, up to the manifest's limit.
const options = [file, "--outFile", output, "-O", "--runtime", "stub", "--use", "abort="];

// DiagnosticCategory of the compiler.
const warning = 2;
const error = 3;

/** Compiles AssemblyScript to a module. */
export async function compileAssemblyScript(source: string): Promise<Compiled> {
  const problems: CodeProblem[] = [];
  let module: Uint8Array<ArrayBuffer> | undefined;
  const result = await asc.main(options, {
    readFile: (name) => (name === file ? source : null),
    writeFile: (name, content) => {
      if (name === output && typeof content !== "string") module = Uint8Array.from(content);
    },
    listFiles: () => [],
    reportDiagnostic: ({ category, message, range }) => {
      if (category !== error && category !== warning) return;
      // A place in the library says nothing to the author of this source.
      const isOwn = range?.source.normalizedPath === file;
      problems.push({
        ...placeOf(source, isOwn ? range.start : 0),
        severity: category === error ? "error" : "warning",
        message,
      });
    },
  });
  if (result.error && problems.every((problem) => problem.severity !== "error")) {
    problems.push({ line: 1, column: 1, severity: "error", message: result.error.message });
  }
  return { module: result.error ? undefined : module, problems };
}

/** Line and column, from 1, of an offset. */
function placeOf(source: string, offset: number): { line: number; column: number } {
  const before = source.slice(0, offset).split("\n");
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}
