import { IconHistory, IconSettings } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import type { Job } from "../api/types";
import { JobSwitch } from "../jobs/job-switch";
import { ActionIconLink } from "../ui/links";

/** From a job's code to its settings and its runs, and whether it fires. */
export function JobLinks({ job }: { job: Job }) {
  const { t } = useTranslation();
  return (
    <>
      {job.schedule_type !== "NONE" && (
        <JobSwitch job={job} label={t(job.enabled ? "jobs.running" : "jobs.stopped")} />
      )}
      <ActionIconLink
        size="lg"
        to="/jobs/$jobID/edit"
        params={{ jobID: job.id }}
        title={t("glue.settings")}
      >
        <IconSettings size={18} />
      </ActionIconLink>
      <ActionIconLink
        size="lg"
        to="/runs"
        search={{ job_id: job.id }}
        title={t("jobs.showRuns")}
      >
        <IconHistory size={18} />
      </ActionIconLink>
    </>
  );
}
