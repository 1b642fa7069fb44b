import { Grid, Group, Paper, Skeleton, Title } from "@mantine/core";
import { useInterval } from "@mantine/hooks";
import { IconPlus } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { lazy, type ReactNode, Suspense, useState } from "react";
import { useTranslation } from "react-i18next";
import { queries } from "../api/queries";
import { useLater } from "../ui/later";
import { PageHead } from "../ui/page-head";
import { ButtonLink } from "../ui/links";
import { QueryError } from "../ui/query-error";
import { barsOf } from "./bars";
import { FirstSteps } from "./first-steps";
import { HeatStrip } from "./heat-strip";
import { JobFigures } from "./job-figures";
import { shownSpan, stepLength } from "./range";
import { RangeControl } from "./range-control";
import { RunChart } from "./run-chart";
import { StatTiles } from "./stat-tiles";
import { Warnings } from "./warnings";

const GroupFilter = lazy(() => import("./group-filter"));

const refresh = 15_000; // ms

/** How everything goes: numbers of today, ends over time, what is slow, fails, and comes next. */
export function DashboardPage() {
  const { t } = useTranslation();
  const search = useSearch({ from: "/" });
  const navigate = useNavigate({ from: "/" });
  const [now, setNow] = useState(() => new Date());
  useInterval(() => setNow(new Date()), refresh, { autoInvoke: true });
  const { from, to, step } = shownSpan(search, now);
  const { group_id } = search;
  const span = {
    from,
    to,
    group_id,
    isChosen: search.from !== undefined && search.to !== undefined,
  };
  const counts = useQuery({
    ...queries.runCounts(from, to, step, group_id),
    refetchInterval: refresh,
  });
  const upcoming = useQuery(queries.upcoming(group_id));
  const me = useQuery(queries.me());
  const isLater = useLater();

  return (
    <>
      <PageHead
        title={t("nav.dashboard")}
        actions={
          <>
            {isLater && (
              <Suspense>
                <GroupFilter />
              </Suspense>
            )}
            <RangeControl />
            {me.data?.rights.includes("job.edit") && (
              <ButtonLink to="/jobs/new" size="compact-md" leftSection={<IconPlus size={16} />}>
                {t("jobs.add")}
              </ButtonLink>
            )}
          </>
        }
      />
      <Warnings />
      {group_id === undefined && <FirstSteps />}
      <StatTiles groupID={group_id} />
      <Grid mt="md">
        <Grid.Col span={12}>
          <Panel
            title={t("dashboard.runs")}
            actions={
              <ButtonLink to="/runs" search={{ from, to, group_id }} size="compact-xs" variant="subtle">
                {t("dashboard.showRuns")}
              </ButtonLink>
            }
          >
            {counts.error && !counts.data && (
              <QueryError error={counts.error} onRetry={() => void counts.refetch()} />
            )}
            {counts.data ? (
              <RunChart
                bars={barsOf(counts.data.items, from, to, stepLength[step])}
                step={stepLength[step]}
                onSelect={(begin, end) => void navigate({ search: { from: begin, to: end, group_id } })}
              />
            ) : (
              !counts.error && <Skeleton h={200} />
            )}
          </Panel>
        </Grid.Col>
        {isLater && (
          <>
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
                <JobFigures order="failing" {...span} />
              </Panel>
            </Grid.Col>
            <Grid.Col span={{ base: 12, md: 6 }}>
              <Panel title={t("dashboard.slowest")}>
                <JobFigures order="slowest" {...span} />
              </Panel>
            </Grid.Col>
          </>
        )}
      </Grid>
    </>
  );
}

interface PanelProps {
  title: string;
  actions?: ReactNode;
  children: ReactNode;
}

function Panel({ title, actions, children }: PanelProps) {
  return (
    <Paper withBorder p="md" h="100%" component="section" aria-label={title}>
      <Group justify="space-between" mb="sm">
        <Title order={2} size="h5">
          {title}
        </Title>
        {actions}
      </Group>
      {children}
    </Paper>
  );
}
