import { Grid, Paper, SegmentedControl, Skeleton, Title } from "@mantine/core";
import { useInterval } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";
import { queries } from "../api/queries";
import { PageHead } from "../ui/page-head";
import { QueryError } from "../ui/query-error";
import { word } from "../ui/search";
import { barsOf } from "./bars";
import { FirstSteps } from "./first-steps";
import { HeatStrip } from "./heat-strip";
import { JobFigures } from "./job-figures";
import { rangeOf, ranges, spanOf, stepLength } from "./range";
import { RunChart } from "./run-chart";
import { StatTiles } from "./stat-tiles";

const refresh = 15_000; // ms

/** How everything goes: numbers of today, ends over time, what is slow, fails, and comes next. */
export function DashboardPage() {
  const { t } = useTranslation();
  const { range = "24h" } = useSearch({ from: "/" });
  const navigate = useNavigate({ from: "/" });
  const [now, setNow] = useState(() => new Date());
  useInterval(() => setNow(new Date()), refresh, { autoInvoke: true });
  const { from, to } = spanOf(range, now);
  const { step } = rangeOf[range];
  const counts = useQuery({ ...queries.runCounts(from, to, step), refetchInterval: refresh });
  const upcoming = useQuery(queries.upcoming());

  return (
    <>
      <PageHead
        title={t("nav.dashboard")}
        actions={
          <SegmentedControl
            size="xs"
            aria-label={t("dashboard.range")}
            value={range}
            data={ranges.map((value) => ({ value, label: t(`dashboard.ranges.${value}`) }))}
            onChange={(value) =>
              void navigate({ search: { range: word(value, ranges) }, replace: true })
            }
          />
        }
      />
      <FirstSteps />
      <StatTiles />
      <Grid mt="md">
        <Grid.Col span={12}>
          <Panel title={t("dashboard.runs")}>
            {counts.error && !counts.data && (
              <QueryError error={counts.error} onRetry={() => void counts.refetch()} />
            )}
            {counts.data ? (
              <RunChart
                bars={barsOf(counts.data.items, from, to, stepLength[step])}
                step={stepLength[step]}
              />
            ) : (
              !counts.error && <Skeleton h={200} />
            )}
          </Panel>
        </Grid.Col>
        <Grid.Col span={12}>
          <Panel title={t("dashboard.upcoming")}>
            {upcoming.error && !upcoming.data && (
              <QueryError error={upcoming.error} onRetry={() => void upcoming.refetch()} />
            )}
            {upcoming.data ? (
              <HeatStrip minutes={upcoming.data.items} />
            ) : (
              !upcoming.error && <Skeleton h={44} />
            )}
          </Panel>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 6 }}>
          <Panel title={t("dashboard.failing")}>
            <JobFigures order="failing" from={from} to={to} />
          </Panel>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 6 }}>
          <Panel title={t("dashboard.slowest")}>
            <JobFigures order="slowest" from={from} to={to} />
          </Panel>
        </Grid.Col>
      </Grid>
    </>
  );
}

function Panel({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Paper withBorder p="md" h="100%" component="section" aria-label={title}>
      <Title order={2} size="h5" mb="sm">
        {title}
      </Title>
      {children}
    </Paper>
  );
}
