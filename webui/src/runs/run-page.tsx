import { Badge, Grid, Paper, Skeleton, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { queries } from "../api/queries";
import { AnchorLink } from "../ui/links";
import { PageHead } from "../ui/page-head";
import { QueryError } from "../ui/query-error";
import { RelatedRuns } from "./related-runs";
import { RunActions } from "./run-actions";
import { RunFacts } from "./run-facts";
import { RunLog } from "./run-log";
import { RunMessage } from "./run-message";
import { RunTimeline } from "./run-timeline";
import { StateBadge } from "./state-badge";

/** One run: how it went, what it was given, and its log while it is written. */
export function RunPage() {
  const { t } = useTranslation();
  const { runID } = useParams({ from: "/runs/$runID" });
  const run = useQuery(queries.run(runID));

  if (run.error && !run.data) {
    return <QueryError error={run.error} onRetry={() => void run.refetch()} />;
  }
  if (!run.data) {
    return (
      <Stack aria-busy="true">
        <Skeleton h={28} w={280} />
        <Skeleton h={160} />
        <Skeleton h={300} />
      </Stack>
    );
  }
  return (
    <>
      <PageHead
        title={t("run.title", { id: run.data.id })}
        badge={
          <>
            <StateBadge state={run.data.state} size="lg" />
            {run.data.is_test && <Badge variant="outline">{t("run.test")}</Badge>}
          </>
        }
        actions={<RunActions run={run.data} />}
      />
      <Text mb="md">
        <AnchorLink to="/runs" search={{ job_id: run.data.job_id }} underline="always">
          【{run.data.job_id}】{run.data.job_name}
        </AnchorLink>
        {run.data.message && (
          <Text span c={run.data.state === "succeeded" ? "dimmed" : "red"}>
            {" "}
            · <RunMessage run={run.data} />
          </Text>
        )}
      </Text>
      <Grid>
        <Grid.Col span={{ base: 12, md: 4 }}>
          <Paper withBorder p="md" h="100%">
            <Title order={2} size="h5" mb="md">
              {t("run.timeline")}
            </Title>
            <RunTimeline run={run.data} />
          </Paper>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 8 }}>
          <Paper withBorder p="md" h="100%">
            <Title order={2} size="h5" mb="md">
              {t("run.facts")}
            </Title>
            <RunFacts run={run.data} />
          </Paper>
        </Grid.Col>
        <Grid.Col span={12}>
          <RelatedRuns key={run.data.id} run={run.data} />
        </Grid.Col>
        <Grid.Col span={12}>
          <Paper withBorder p="md">
            <RunLog key={run.data.id} runID={run.data.id} />
          </Paper>
        </Grid.Col>
      </Grid>
    </>
  );
}
