import { useTranslation } from "react-i18next";
import type { Run } from "../api/types";
import { ServerText } from "../ui/server-text";
import { shortMessage } from "./reason";

// With these the message is the job's own, in whatever words it chose.
const byJob: readonly string[] = ["", "ok", "handler_failed"];

/** What is said of a run, in the reader's language unless the job itself said it. */
export function RunMessage({ run }: { run: Pick<Run, "reason" | "message"> }) {
  const { t } = useTranslation();
  const message = shortMessage(t, run);
  return byJob.includes(run.reason) ? message : <ServerText text={message} />;
}
