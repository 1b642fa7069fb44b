// Compiles sources off the page's thread. Each compiler is a chunk of its own, loaded
// with the first source in its language.
import type { WasmLanguage } from "./language";
import type { Compiled } from "./problem";

export interface CompileRequest {
  id: number;
  language: WasmLanguage;
  source: string;
}

export interface CompileAnswer extends Compiled {
  id: number;
  /** The compiler itself broke or could not be loaded. */
  failure?: string;
}

addEventListener("message", ({ data }: MessageEvent<CompileRequest>) => void answer(data));

async function answer({ id, language, source }: CompileRequest): Promise<void> {
  try {
    const compiled = await compile(language, source);
    const transfer = compiled.module ? [compiled.module.buffer] : [];
    postMessage({ id, ...compiled } satisfies CompileAnswer, { transfer });
  } catch (error) {
    const failure = error instanceof Error ? error.message : String(error);
    postMessage({ id, module: undefined, problems: [], failure } satisfies CompileAnswer);
  }
}

async function compile(language: WasmLanguage, source: string): Promise<Compiled> {
  switch (language) {
    case "WAT":
      return (await import("./wat")).compileWAT(source);
    case "ASSEMBLYSCRIPT":
      return (await import("./assembly-script")).compileAssemblyScript(source);
  }
}
