import { useEffect, useState } from "react";
import { uploadArtifact } from "../api/upload";
import { type CodeLanguage, isCompiled } from "./code-language";
import { Compiler } from "./compile/compiler";
import type { CodeProblem } from "./compile/problem";

/** A source that the compiler refused. */
export class CompileError extends Error {
  constructor(readonly problems: CodeProblem[]) {
    super(problems[0]?.message ?? "");
    this.name = "CompileError";
  }
}

/** What runs: the source itself, with the module that was made of it if the language needs one. */
export interface Code {
  source: string;
  artifact?: string;
}

/** The page's compiler; it ends with the page. */
export function useCompiler(): Compiler {
  const [compiler] = useState(() => new Compiler());
  useEffect(() => () => compiler.close(), [compiler]);
  return compiler;
}

/** Makes what can be sent to run: compiles and uploads where the language asks for it. */
export async function buildCode(
  language: CodeLanguage,
  source: string,
  compiler: Compiler,
): Promise<Code> {
  if (!isCompiled(language)) return { source };
  const { module, problems } = await compiler.compile(language, source);
  if (!module) throw new CompileError(problems.filter((problem) => problem.severity === "error"));
  const artifact = await uploadArtifact(
    new Blob([module]),
    () => undefined,
    new AbortController().signal,
  );
  return { source, artifact: artifact.digest };
}
