import { Button, Paper, Table } from "@mantine/core";
import { IconListDetails, IconPlus, IconSearchOff } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { type JobFilter, queries } from "../api/queries";
import { Empty } from "../ui/empty";
import { ButtonLink } from "../ui/links";
import { PageHead } from "../ui/page-head";
import { Pager } from "../ui/pager";
import { QueryError } from "../ui/query-error";
import { RowSkeletons } from "../ui/row-skeletons";
import { JobFilters } from "./job-filters";
import { JobRow } from "./job-row";

const columns = [
  "id",
  "name",
  "group",
  "schedule",
  "code",
  "nextFire",
  "lastRun",
  "enabled",
] as const;

/** All jobs with their next fire and last result. */
export function JobsPage() {
  const { t } = useTranslation();
  const filter = useSearch({ from: "/jobs" });
  const navigate = useNavigate({ from: "/jobs" });
  const jobs = useQuery(queries.jobs(filter));

  const setFilter = (change: JobFilter) =>
    void navigate({ search: (old) => ({ ...old, cursor: undefined, ...change }), replace: true });
  const isFiltered = Object.values({ ...filter, cursor: undefined }).some((v) => v !== undefined);
  const addButton = (
    <ButtonLink to="/jobs/new" leftSection={<IconPlus size={16} />}>
      {t("jobs.add")}
    </ButtonLink>
  );

  return (
    <>
      <PageHead title={t("nav.jobs")} actions={addButton} />
      <JobFilters filter={filter} onChange={setFilter} />
      {jobs.error && !jobs.data ? (
        <QueryError error={jobs.error} onRetry={() => void jobs.refetch()} />
      ) : (
        <Paper withBorder>
          <Table.ScrollContainer type="native" minWidth={980}>
            <Table verticalSpacing="xs" highlightOnHover aria-busy={jobs.isPending}>
              <Table.Thead>
                <Table.Tr>
                  {columns.map((column) => (
                    <Table.Th key={column}>{t(`jobs.column.${column}`)}</Table.Th>
                  ))}
                  <Table.Th ta="right">{t("jobs.column.actions")}</Table.Th>
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {jobs.data ? (
                  jobs.data.items.map((job) => <JobRow key={job.id} job={job} />)
                ) : (
                  <RowSkeletons columns={columns.length + 1} />
                )}
              </Table.Tbody>
            </Table>
          </Table.ScrollContainer>
          {jobs.data?.items.length === 0 &&
            (isFiltered ? (
              <Empty
                icon={<IconSearchOff />}
                title={t("jobs.noMatchTitle")}
                text={t("jobs.noMatchText")}
                actions={
                  <Button variant="default" onClick={() => void navigate({ search: {} })}>
                    {t("filter.reset")}
                  </Button>
                }
              />
            ) : (
              <Empty
                icon={<IconListDetails />}
                title={t("jobs.emptyTitle")}
                text={t("jobs.emptyText")}
                actions={addButton}
              />
            ))}
        </Paper>
      )}
      <Pager
        list={jobs.data}
        cursor={filter.cursor}
        onCursor={(cursor) => void navigate({ search: (old) => ({ ...old, cursor }) })}
      />
    </>
  );
}
