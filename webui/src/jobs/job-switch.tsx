import { Switch } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { Job } from "../api/types";
import { useSwitchJob } from "./mutations";
import { useRight } from "../session/use-right";

interface Props {
  job: Job;
  /** Words beside the switch; absent where a column names it. */
  label?: string;
}

/** Starts and stops a job; others only see whether it is started. */
export function JobSwitch({ job, label }: Props) {
  const { t } = useTranslation();
  const switchJob = useSwitchJob(job);
  const mayOperate = useRight("job.operate", job.group_id);
  return (
    <Switch
      size="sm"
      color="teal"
      label={label}
      aria-label={t(job.enabled ? "jobs.stopNamed" : "jobs.startNamed", { name: job.name })}
      checked={switchJob.isPending ? switchJob.variables : job.enabled}
      disabled={!mayOperate || switchJob.isPending}
      onChange={(event) => switchJob.mutate(event.currentTarget.checked)}
    />
  );
}
