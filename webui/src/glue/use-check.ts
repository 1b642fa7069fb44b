import { useDebouncedValue } from "@mantine/hooks";
import { skipToken, useQuery } from "@tanstack/react-query";
import { api, unwrap } from "../api/client";
import { type CodeLanguage, isCompiled } from "./code-language";
import type { Compiler } from "./compile/compiler";
import type { CodeProblem } from "./compile/problem";

const typingPause = 500; // ms without a key after which the code is looked at
const noProblems: CodeProblem[] = [];

// What the server has a parser for.
const parsed: readonly CodeLanguage[] = ["GLUE_LUA", "GLUE_JS", "GLUE_TS", "GLUE_SHELL"];

/** How far the look at a text is: only after "done" its problems are all there are. */
export type CheckState = "none" | "running" | "failed" | "done";

export interface Check {
  state: CheckState;
  problems: CodeProblem[];
}

/** What is wrong with the code, found while one types: by the server, or by a compiler here. */
export function useCheck(language: CodeLanguage, source: string, compiler: Compiler): Check {
  const [asked] = useDebouncedValue(source, typingPause);
  const isChecked = canCheck(language, asked);
  const check = useQuery({
    queryKey: ["check", language, asked],
    queryFn: isChecked
      ? ({ signal }) => findProblems(language, asked, compiler, signal)
      : skipToken,
    staleTime: Infinity,
    gcTime: 0,
    retry: false,
  });
  if (!canCheck(language, source)) return { state: "none", problems: noProblems };
  // The marks of an older text would stand in the wrong lines.
  if (asked !== source || check.isPending) return { state: "running", problems: noProblems };
  if (check.isError) return { state: "failed", problems: noProblems };
  return { state: "done", problems: check.data };
}

/** Whether anybody here can say something about the text. */
export function canCheck(language: CodeLanguage, source: string): boolean {
  return source.trim() !== "" && (isCompiled(language) || parsed.includes(language));
}

async function findProblems(
  language: CodeLanguage,
  source: string,
  compiler: Compiler,
  signal: AbortSignal,
): Promise<CodeProblem[]> {
  if (isCompiled(language)) return (await compiler.compile(language, source)).problems;
  const body = { glue_type: language, source };
  return (await unwrap(api.POST("/glue/check", { body, signal }))).problems;
}
