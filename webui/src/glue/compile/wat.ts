import wabt from "wabt";
import type { CodeProblem, Compiled } from "./problem";

/** Compiles WebAssembly text to a module. */
export async function compileWAT(source: string): Promise<Compiled> {
  const compiler = await wabt();
  let module: ReturnType<typeof compiler.parseWat> | undefined;
  try {
    module = compiler.parseWat("source.wat", source);
    module.resolveNames();
    module.validate();
    return { module: Uint8Array.from(module.toBinary({}).buffer), problems: [] };
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    return { module: undefined, problems: watProblems(text) };
  } finally {
    module?.destroy();
  }
}

/** Reads wabt's report: "source.wat:3:7: error: unexpected token …" and the line with a mark. */
export function watProblems(report: string): CodeProblem[] {
  const places = [...report.matchAll(/^source\.wat:(\d+):(\d+): error: (.*)$/gm)];
  if (places.length === 0) {
    return [{ line: 1, column: 1, severity: "error", message: report.trim() }];
  }
  return places.map(([, line, column, message]) => ({
    line: Number(line),
    column: Number(column),
    severity: "error",
    message: message ?? "",
  }));
}
