import { Badge, Checkbox, Group, Stack, Table, Text } from "@mantine/core";
import { memo } from "react";
import { useTranslation } from "react-i18next";
import type { Job } from "../api/types";
import { StateBadge } from "../runs/state-badge";
import { formatInstant } from "../time/zone";
import { Instant } from "../ui/instant";
import { AnchorLink } from "../ui/links";
import { useZone } from "../ui/zone";
import { glueTitles, isLive } from "./choices";
import { JobActions } from "./job-actions";
import { JobSwitch } from "./job-switch";
import { Sparkline } from "./sparkline";

interface Props {
  job: Job;
  isSelected: boolean;
  /** Absent for those who may do nothing with it. */
  onSelect: ((isSelected: boolean, id: number) => void) | undefined;
}

/** A job in the list; it is drawn again only when it changed. */
export const JobRow = memo(({ job, isSelected, onSelect }: Props) => {
  const { t } = useTranslation();
  const by = t("jobs.by", { author: job.author });
  return (
    <Table.Tr
      bg={isSelected ? "var(--mantine-primary-color-light)" : undefined}
      data-selected={isSelected || undefined}
    >
      {onSelect && (
        <Table.Td w={36}>
          <Checkbox
            size="xs"
            aria-label={t("jobs.selectNamed", { name: job.name })}
            checked={isSelected}
            onChange={(event) => onSelect(event.currentTarget.checked, job.id)}
          />
        </Table.Td>
      )}
      <Table.Td>{job.id}</Table.Td>
      <Table.Td maw={195}>
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
        <Text size="xs" c="dimmed" className="clip" title={`${by}\n${job.description}`.trim()}>
          {by}
          {job.description && ` · ${job.description}`}
        </Text>
        {job.tags.length > 0 && (
          <Group gap={4} mt={2}>
            {job.tags.map((tag) => (
              <AnchorLink key={tag} to="/jobs" search={{ tag }} underline="never" size="xs">
                <Badge size="xs" variant="default" style={{ cursor: "inherit" }}>
                  {tag}
                </Badge>
              </AnchorLink>
            ))}
          </Group>
        )}
      </Table.Td>
      <Table.Td maw={100}>
        <Text size="sm" className="clip" title={`${job.group_title} · ${job.app_name}`}>
          {job.group_title}
        </Text>
      </Table.Td>
      <Table.Td>
        <Schedule job={job} />
      </Table.Td>
      <Table.Td>
        <Code job={job} />
      </Table.Td>
      <Table.Td w={96}>
        <Instant at={job.enabled ? job.next_fire : undefined} wrap />
      </Table.Td>
      <Table.Td>
        <Sparkline items={job.history ?? []} />
        {job.last_run ? (
          <LastRun run={job.last_run} />
        ) : (
          <Text size="sm" c="dimmed">
            {t("jobs.neverRan")}
          </Text>
        )}
      </Table.Td>
      <Table.Td>
        <JobSwitch job={job} />
      </Table.Td>
      <Table.Td className="stuck">
        <JobActions job={job} />
      </Table.Td>
    </Table.Tr>
  );
});

function LastRun({ run }: { run: NonNullable<Job["last_run"]> }) {
  const zone = useZone();
  return (
    <AnchorLink
      to="/runs/$runID"
      params={{ runID: run.id }}
      underline="never"
      title={formatInstant(new Date(run.ended_at ?? run.fire_at), zone)}
    >
      <StateBadge state={run.state} />
    </AnchorLink>
  );
}

function Schedule({ job }: { job: Job }) {
  return (
    <div>
      <ScheduleText job={job} />
      {job.time_zone && (
        <Text size="xs" c="dimmed">
          {job.time_zone}
        </Text>
      )}
    </div>
  );
}

function ScheduleText({ job }: { job: Job }) {
  const { t } = useTranslation();
  switch (job.schedule_type) {
    case "NONE":
      return (
        <Text size="sm" c="dimmed">
          {t("schedule.NONE")}
        </Text>
      );
    case "CRON":
      return (
        <Text size="sm" ff="monospace" className="nowrap">
          {job.schedule_conf}
        </Text>
      );
    case "FIX_RATE":
    case "FIX_DELAY":
      return (
        <Text size="sm" className="nowrap">
          {t(job.schedule_type === "FIX_RATE" ? "schedule.every" : "schedule.everyAfter", {
            seconds: job.schedule_conf,
          })}
        </Text>
      );
    case "ONCE":
      return <Instant at={job.schedule_conf} />;
  }
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
    <Stack gap={2} align="flex-start">
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
    </Stack>
  );
}
