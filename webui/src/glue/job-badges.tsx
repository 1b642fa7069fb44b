import { Badge } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { Job } from "../api/types";
import { glueTitles } from "../jobs/choices";

/** What kind of code a job has, which version of it is live, and whether there is another one here. */
export function JobBadges({ job, isDirty }: { job: Job; isDirty: boolean }) {
  const { t } = useTranslation();
  return (
    <>
      <Badge variant="default">{glueTitles[job.glue_type]}</Badge>
      {job.glue_version > 0 && (
        <Badge color="teal" variant="light">
          {t("glue.liveVersion", { number: job.glue_version })}
        </Badge>
      )}
      {isDirty && (
        <Badge color="yellow" variant="light">
          {t("glue.unpublished")}
        </Badge>
      )}
    </>
  );
}
