import { Button, Group, Paper, Switch, Table, Text } from "@mantine/core";
import { IconHistory, IconSearchOff } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useDeferredValue, useState } from "react";
import { useTranslation } from "react-i18next";
import { queries, type RunFilter } from "../api/queries";
import { Empty } from "../ui/empty";
import { ButtonLink } from "../ui/links";
import { Later, LaterRest } from "../ui/later";
import { PageHead } from "../ui/page-head";
import { Pager } from "../ui/pager";
import { QueryError } from "../ui/query-error";
import { RowSkeletons } from "../ui/row-skeletons";
import { KillModal } from "./kill-modal";
import { RunFilters } from "./run-filters";
import { RunRow } from "./run-row";
import { useReading } from "./use-reading";

const columns = [
  "id",
  "job",
  "fireAt",
  "cause",
  "state",
  "duration",
  "address",
  "version",
  "message",
  "actions",
] as const;

/** The ledger, newest first. The first page follows what happens. */
export function RunsPage() {
  const { t } = useTranslation();
  const filter = useSearch({ from: "/runs" });
  const navigate = useNavigate({ from: "/runs" });
  const [isLive, setLive] = useState(true);
  const { isReading, area } = useReading();
  const [dying, setDying] = useState<number>();
  const isFollowing = isLive && filter.cursor === undefined;
  const runs = useQuery(queries.runs(filter, isFollowing && !isReading));
  // The first ones at once; others in small pieces between what else happens on the page.
  const rows = useDeferredValue(runs.data?.items) ?? runs.data?.items;

  // The list itself names the job that it is about, unless it is empty.
  const named = runs.data?.items.find((run) => run.job_id === filter.job_id)?.job_name;
  const job = useQuery({
    ...queries.job(filter.job_id ?? 0),
    enabled:
      filter.job_id !== undefined &&
      named === undefined &&
      runs.isSuccess &&
      !runs.isPlaceholderData,
  });
  const setFilter = (change: RunFilter) =>
    void navigate({ search: (old) => ({ ...old, cursor: undefined, ...change }), replace: true });
  const isFiltered = Object.values({ ...filter, cursor: undefined }).some((v) => v !== undefined);

  return (
    <>
      <PageHead
        title={t("nav.runs")}
        actions={
          <Group gap="xs">
            {isFollowing && isReading && (
              <Text size="xs" c="dimmed" role="status">
                {t("runs.paused")}
              </Text>
            )}
            <Switch
            label={t("runs.live")}
            checked={isFollowing}
            disabled={filter.cursor !== undefined}
            onChange={(event) => setLive(event.currentTarget.checked)}
          />
          </Group>
        }
      />
      <Later height={71}>
        <RunFilters filter={filter} jobName={named ?? job.data?.name} onChange={setFilter} />
      </Later>
      {runs.error && !runs.data ? (
        <QueryError error={runs.error} onRetry={() => void runs.refetch()} />
      ) : (
        <Paper withBorder {...area}>
          <Table.ScrollContainer type="native" minWidth={1180}>
            <Table verticalSpacing={6} highlightOnHover aria-busy={runs.isPending}>
              <Table.Thead>
                <Table.Tr>
                  {columns.map((column) => (
                    <Table.Th key={column} className={column === "actions" ? "stuck" : undefined}>
                      {t(`runs.column.${column}`)}
                    </Table.Th>
                  ))}
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {rows ? (
                  <LaterRest items={rows}>
                    {(run) => <RunRow key={run.id} run={run} onKill={setDying} />}
                  </LaterRest>
                ) : (
                  <RowSkeletons columns={columns.length} />
                )}
              </Table.Tbody>
            </Table>
          </Table.ScrollContainer>
          {runs.data?.items.length === 0 &&
            (isFiltered ? (
              <Empty
                icon={<IconSearchOff />}
                title={t("runs.noMatchTitle")}
                text={t("runs.noMatchText")}
                actions={
                  <Button variant="default" onClick={() => void navigate({ search: {} })}>
                    {t("filter.reset")}
                  </Button>
                }
              />
            ) : (
              <Empty
                icon={<IconHistory />}
                title={t("runs.emptyTitle")}
                text={t("runs.emptyText")}
                actions={
                  <Group>
                    <ButtonLink to="/jobs">{t("nav.jobs")}</ButtonLink>
                  </Group>
                }
              />
            ))}
        </Paper>
      )}
      <Pager
        list={runs.data}
        cursor={filter.cursor}
        onCursor={(cursor) => void navigate({ search: (old) => ({ ...old, cursor }) })}
      />
      {dying !== undefined && <KillModal runID={dying} onClose={() => setDying(undefined)} />}
    </>
  );
}
