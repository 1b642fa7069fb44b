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

/** What is wrong with the code, found while one types: by the server, or by a compiler here. */
export function useCheck(language: CodeLanguage, source: string, compiler: Compiler) {
  const [asked] = useDebouncedValue(source, typingPause);
  const check = useQuery({
    queryKey: ["check", language, asked],
    queryFn:
      isCompiled(language) || parsed.includes(language)
        ? ({ signal }) => findProblems(language, asked, compiler, signal)
        : skipToken,
    staleTime: Infinity,
    gcTime: 0,
    retry: false,
  });
  // The marks of an older text would stand in the wrong lines.
  return asked === source ? (check.data ?? noProblems) : noProblems;
}

async function findProblems(
  language: CodeLanguage,
  source: string,
  compiler: Compiler,
  signal: AbortSignal,
): Promise<CodeProblem[]> {
  if (source.trim() === "") return noProblems;
  if (isCompiled(language)) return (await compiler.compile(language, source)).problems;
  const body = { glue_type: language, source };
  return (await unwrap(api.POST("/glue/check", { body, signal }))).problems;
}
