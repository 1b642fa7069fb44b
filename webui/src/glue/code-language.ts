import type { GlueType } from "../api/types";
import { type WasmLanguage, wasmLanguageOf } from "./compile/language";

/** What is written in an editor: a kind of job code, or a language that becomes a module. */
export type CodeLanguage = Exclude<GlueType, "BEAN" | "GLUE_WASM"> | WasmLanguage;

/** The language of a source; that of a module's source shows in its text. */
export function codeLanguage(glueType: GlueType, source: string): CodeLanguage {
  if (glueType === "GLUE_WASM" || glueType === "BEAN") return wasmLanguageOf(source);
  return glueType;
}

/** Whether the source must be compiled in the page before it can run. */
export function isCompiled(language: CodeLanguage): language is WasmLanguage {
  return language === "ASSEMBLYSCRIPT" || language === "WAT";
}
