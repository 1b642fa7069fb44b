import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { queries } from "../api/queries";
import type { Job } from "../api/types";
import { Dialog } from "../ui/dialog";
import { QueryError } from "../ui/query-error";
import { FireTimes } from "./fire-times";

export function NextFiresModal({ job, onClose }: { job: Job; onClose: () => void }) {
  const { t } = useTranslation();
  const next = useQuery(queries.nextFires(job.id));
  return (
    <Dialog onClose={onClose} title={t("jobs.nextFires")} size="sm">
      {next.error ? (
        <QueryError error={next.error} onRetry={() => void next.refetch()} />
      ) : (
        <FireTimes times={next.data?.items} zone={job.time_zone} />
      )}
    </Dialog>
  );
}
