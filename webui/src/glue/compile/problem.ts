/** A place in the source that a parser or compiler complains of; line and column from 1. */
export interface CodeProblem {
  line: number;
  column: number;
  severity: "error" | "warning";
  message: string;
}

/** What a compiler made of a source: a module, or the reasons why there is none. */
export interface Compiled {
  module: Uint8Array<ArrayBuffer> | undefined;
  problems: CodeProblem[];
}
