import { Badge, Group, Switch, Table, Text, Tooltip } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { Job } from "../api/types";
import { StateBadge } from "../runs/state-badge";
import { Instant } from "../ui/instant";
import { AnchorLink } from "../ui/links";
import { glueTitles, isLive } from "./choices";
import { JobActions } from "./job-actions";
import { useSwitchJob } from "./mutations";

export function JobRow({ job }: { job: Job }) {
  const { t } = useTranslation();
  const switchJob = useSwitchJob(job);
  return (
    <Table.Tr>
      <Table.Td>{job.id}</Table.Td>
      <Table.Td maw={260}>
        <AnchorLink
          to="/jobs/$jobID/edit"
          params={{ jobID: job.id }}
          size="sm"
          fw={600}
          display="block"
          className="clip"
          title={job.name}
        >
          {job.name}
        </AnchorLink>
        <Text size="xs" c="dimmed" className="clip" title={job.description}>
          {job.author}
          {job.description && ` · ${job.description}`}
        </Text>
      </Table.Td>
      <Table.Td>
        <Text size="sm" className="nowrap" title={job.app_name}>
          {job.group_title}
        </Text>
      </Table.Td>
      <Table.Td>
        <Schedule job={job} />
      </Table.Td>
      <Table.Td>
        <Code job={job} />
      </Table.Td>
      <Table.Td>
        <Instant at={job.enabled ? job.next_fire : undefined} />
      </Table.Td>
      <Table.Td>
        {job.last_run ? (
          <Tooltip label={<Instant at={job.last_run.ended_at ?? job.last_run.fire_at} size="xs" />}>
            <AnchorLink to="/runs/$runID" params={{ runID: job.last_run.id }} underline="never">
              <StateBadge state={job.last_run.state} />
            </AnchorLink>
          </Tooltip>
        ) : (
          <Text size="sm" c="dimmed">
            {t("jobs.neverRan")}
          </Text>
        )}
      </Table.Td>
      <Table.Td>
        <Switch
          size="sm"
          color="teal"
          aria-label={t(job.enabled ? "jobs.stopNamed" : "jobs.startNamed", { name: job.name })}
          checked={switchJob.isPending ? switchJob.variables : job.enabled}
          disabled={switchJob.isPending}
          onChange={(event) => switchJob.mutate(event.currentTarget.checked)}
        />
      </Table.Td>
      <Table.Td>
        <JobActions job={job} />
      </Table.Td>
    </Table.Tr>
  );
}

function Schedule({ job }: { job: Job }) {
  const { t } = useTranslation();
  if (job.schedule_type === "NONE") {
    return (
      <Text size="sm" c="dimmed">
        {t("schedule.NONE")}
      </Text>
    );
  }
  const isRate = job.schedule_type === "FIX_RATE";
  return (
    <div>
      <Text size="sm" ff={isRate ? undefined : "monospace"} className="nowrap">
        {isRate ? t("schedule.every", { seconds: job.schedule_conf }) : job.schedule_conf}
      </Text>
      {job.time_zone && (
        <Text size="xs" c="dimmed">
          {job.time_zone}
        </Text>
      )}
    </div>
  );
}

function Code({ job }: { job: Job }) {
  const { t } = useTranslation();
  const title = glueTitles[job.glue_type];
  if (!isLive(job.glue_type)) {
    return (
      <Text size="sm" className="nowrap">
        {title}
        <Text span c="dimmed">
          {" "}
          {job.handler}
        </Text>
      </Text>
    );
  }
  return (
    <Group gap={6} wrap="nowrap">
      <AnchorLink to="/jobs/$jobID/glue" params={{ jobID: job.id }} size="sm" className="nowrap">
        {title}
      </AnchorLink>
      {job.glue_version > 0 ? (
        <Badge size="xs" variant="default">
          v{job.glue_version}
        </Badge>
      ) : (
        <Badge size="xs" color="yellow" variant="light">
          {t("jobs.noCode")}
        </Badge>
      )}
    </Group>
  );
}
