/** The languages that this page compiles to WebAssembly. */
export type WasmLanguage = "ASSEMBLYSCRIPT" | "WAT";

/** A WAT text opens with a parenthesis, after comments; everything else is AssemblyScript. */
export function wasmLanguageOf(source: string): WasmLanguage {
  const code = source.replace(/^(\s+|;;[^\n]*|\(;[\s\S]*?;\))*/, "");
  return code.startsWith("(") ? "WAT" : "ASSEMBLYSCRIPT";
}
