import { Group, Paper, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { queries } from "../api/queries";
import { AnchorLink } from "../ui/links";
import { RunLog } from "./run-log";
import { StateBadge } from "./state-badge";

/** A run that was just started from here, with its log. */
export function LatestRun({ runID }: { runID: number }) {
  const { t } = useTranslation();
  const run = useQuery(queries.run(runID));
  return (
    <Paper withBorder p="sm">
      <Group gap="sm" mb="xs">
        <AnchorLink to="/runs/$runID" params={{ runID }} size="sm" fw={600}>
          {t("run.title", { id: runID })}
        </AnchorLink>
        {run.data && <StateBadge state={run.data.state} />}
        {run.data?.message && (
          <Text size="sm" c="dimmed">
            {run.data.message}
          </Text>
        )}
      </Group>
      <RunLog runID={runID} height="30vh" />
    </Paper>
  );
}
