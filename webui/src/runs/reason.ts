import type { TFunction } from "i18next";
import type { Run } from "../api/types";
import { en } from "../i18n/en";

type Reason = keyof typeof en.reason;

const isKnown = (code: string): code is Reason => code in en.reason;

/** Why a run ended as it did, in the reader's language; empty for a code that is not known. */
export function reasonWords(t: TFunction, { reason }: Pick<Run, "reason">): string {
  return isKnown(reason) ? t(`reason.${reason}`) : "";
}

// These are the server's doing, not the job's, and its message is English.
const byServer = new Set<string>([
  "expanded",
  "misfire",
  "misfire_range",
  "job_stopped",
  "job_rescheduled",
  "job_deleted",
  "no_executor",
  "taken_over",
  "executor_gone",
  "executor_restart",
  "result_lost",
] satisfies Reason[]);

/** What a line of a list says of a run: its message, in the reader's language if it can be. */
export function shortMessage(t: TFunction, run: Pick<Run, "reason" | "message">): string {
  return byServer.has(run.reason) ? reasonWords(t, run) : run.message;
}
