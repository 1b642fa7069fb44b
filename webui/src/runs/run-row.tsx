import { ActionIcon, Group, Table, Text } from "@mantine/core";
import { IconFileText, IconPlayerStop } from "@tabler/icons-react";
import { memo } from "react";
import { useTranslation } from "react-i18next";
import type { Run } from "../api/types";
import { between, formatDuration } from "../time/duration";
import { useRight } from "../session/use-right";
import { Instant } from "../ui/instant";
import { ActionIconLink, AnchorLink } from "../ui/links";
import { RunMessage } from "./run-message";
import { isOpen } from "./state";
import { StateBadge } from "./state-badge";

interface Props {
  run: Run;
  onKill: (id: number) => void;
}

/** A run in the list; it is drawn again only when it changed. */
export const RunRow = memo(({ run, onKill }: Props) => {
  const { t } = useTranslation();
  const mayKill = useRight("job.operate", run.group_id);
  const duration = between(run.started_at, run.ended_at);
  return (
    <Table.Tr>
      <Table.Td>
        <AnchorLink to="/runs/$runID" params={{ runID: run.id }} size="sm" ff="monospace">
          {run.id}
        </AnchorLink>
      </Table.Td>
      <Table.Td maw={220}>
        <AnchorLink
          to="/runs"
          search={{ job_id: run.job_id }}
          size="sm"
          c="inherit"
          display="block"
          className="clip"
          title={run.job_name}
        >
          【{run.job_id}】{run.job_name}
        </AnchorLink>
      </Table.Td>
      <Table.Td>
        <Instant at={run.fire_at} />
      </Table.Td>
      <Table.Td>
        <Text size="sm" className="nowrap">
          {t(`cause.${run.cause}`)}
          {run.attempt > 0 && ` #${run.attempt}`}
          {run.is_test && ` · ${t("run.test")}`}
        </Text>
      </Table.Td>
      <Table.Td>
        <StateBadge state={run.state} />
      </Table.Td>
      <Table.Td>
        <Text size="sm" className="nowrap">
          {duration === undefined ? "–" : formatDuration(duration)}
        </Text>
      </Table.Td>
      <Table.Td>
        <Text size="sm" className="nowrap">
          {run.address.replace(/^https?:\/\//, "").replace(/\/$/, "") || "–"}
        </Text>
      </Table.Td>
      <Table.Td>
        <Text size="sm">{run.glue_version > 0 ? `v${run.glue_version}` : "–"}</Text>
      </Table.Td>
      {/* Takes what the other columns leave. */}
      <Table.Td maw={0} w="100%">
        <Text size="sm" c="dimmed" className="clip" title={run.message}>
          <RunMessage run={run} />
        </Text>
      </Table.Td>
      <Table.Td className="stuck">
        <Group gap={4} wrap="nowrap">
          <ActionIconLink
            to="/runs/$runID"
            params={{ runID: run.id }}
            title={t("runs.showLog")}
            aria-label={t("runs.showLogNamed", { id: run.id })}
          >
            <IconFileText size={17} />
          </ActionIconLink>
          {mayKill && isOpen(run.state) && (
            <ActionIcon
              variant="subtle"
              color="red"
              title={t("run.kill")}
              aria-label={t("runs.killNamed", { id: run.id })}
              onClick={() => onKill(run.id)}
            >
              <IconPlayerStop size={17} />
            </ActionIcon>
          )}
        </Group>
      </Table.Td>
    </Table.Tr>
  );
});
