import { Button, Group, Paper, Stack, Text } from "@mantine/core";
import { IconPlayerStop } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { queries } from "../api/queries";
import { useRight } from "../session/use-right";
import { between, formatDuration } from "../time/duration";
import { AnchorLink } from "../ui/links";
import { RunLog } from "./run-log";
import { RunMessage } from "./run-message";
import { isOpen } from "./state";
import { StateBadge } from "./state-badge";
import { useKill } from "./use-kill";
import { UsageFacts } from "./usage-facts";

/** A run that was just started from here: how it goes, what came of it, its log. */
export function LatestRun({ runID }: { runID: number }) {
  const { t } = useTranslation();
  const run = useQuery(queries.run(runID));
  const kill = useKill(runID);
  const mayOperate = useRight("job.operate", run.data?.group_id);
  const duration = between(run.data?.started_at, run.data?.ended_at);
  return (
    <Paper withBorder p="sm">
      <Stack gap="xs">
        <Group gap="sm">
          <AnchorLink to="/runs/$runID" params={{ runID }} size="sm" fw={600}>
            {t("run.title", { id: runID })}
          </AnchorLink>
          {run.data && <StateBadge state={run.data.state} />}
          {duration !== undefined && <Text size="sm">{formatDuration(duration)}</Text>}
          {mayOperate && run.data && isOpen(run.data.state) && (
            <Button
              size="compact-xs"
              color="red"
              variant="light"
              leftSection={<IconPlayerStop size={14} />}
              loading={kill.isPending}
              onClick={() => kill.mutate()}
            >
              {t("run.stop")}
            </Button>
          )}
        </Group>
        {run.data?.message && (
          <Text size="sm" c={run.data.state === "succeeded" ? "dimmed" : "red"}>
            <RunMessage run={run.data} />
          </Text>
        )}
        {run.data?.usage && <UsageFacts usage={run.data.usage} />}
        <RunLog runID={runID} height="34vh" />
      </Stack>
    </Paper>
  );
}
