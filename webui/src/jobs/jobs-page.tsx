import { Button, Checkbox, Paper, Table } from "@mantine/core";
import { IconListDetails, IconPlus, IconSearchOff } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useCallback, useDeferredValue, useState } from "react";
import { useTranslation } from "react-i18next";
import { type JobFilter, jobSorts, queries } from "../api/queries";
import { Empty } from "../ui/empty";
import { Later, LaterRest } from "../ui/later";
import { ButtonLink } from "../ui/links";
import { PageHead } from "../ui/page-head";
import { Pager } from "../ui/pager";
import { QueryError } from "../ui/query-error";
import { RowSkeletons } from "../ui/row-skeletons";
import { SortableTh } from "../ui/sortable-th";
import { word } from "../ui/search";
import { BulkBar } from "./bulk-bar";
import { JobFilters } from "./job-filters";
import { JobRow } from "./job-row";
import { useRight } from "../session/use-right";

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

const sortFields: Partial<Record<(typeof columns)[number], string>> = {
  id: "id",
  name: "name",
  nextFire: "next_fire",
};

/** All jobs with their next fire and last result. */
export function JobsPage() {
  const { t } = useTranslation();
  const filter = useSearch({ from: "/jobs" });
  const navigate = useNavigate({ from: "/jobs" });
  const jobs = useQuery(queries.jobs(filter));
  const mayEdit = useRight("job.edit");
  const mayOperate = useRight("job.operate");

  const [selected, setSelected] = useState<ReadonlySet<number>>(new Set());
  const items = jobs.data?.items ?? [];
  // The first ones at once; others in small pieces between what else happens on the page.
  const rows = useDeferredValue(jobs.data?.items) ?? jobs.data?.items;
  // What is no longer on the page is not acted upon.
  const chosen = items.filter((job) => selected.has(job.id));
  const select = useCallback((isSelected: boolean, ...ids: number[]) => {
    setSelected((old) => {
      const others = [...old].filter((id) => !ids.includes(id));
      return new Set(isSelected ? [...others, ...ids] : others);
    });
  }, []);

  const setFilter = (change: JobFilter) =>
    void navigate({ search: (old) => ({ ...old, cursor: undefined, ...change }), replace: true });
  const isFiltered = Object.values({ ...filter, cursor: undefined, sort: undefined }).some(
    (value) => value !== undefined,
  );
  const addButton = mayEdit && (
    <ButtonLink to="/jobs/new" leftSection={<IconPlus size={16} />}>
      {t("jobs.add")}
    </ButtonLink>
  );

  return (
    <>
      <PageHead title={t("nav.jobs")} actions={addButton} />
      <Later height={36}>
        <JobFilters filter={filter} onChange={setFilter} />
      </Later>
      {chosen.length > 0 && <BulkBar jobs={chosen} onClear={() => setSelected(new Set())} />}
      {jobs.error && !jobs.data ? (
        <QueryError error={jobs.error} onRetry={() => void jobs.refetch()} />
      ) : (
        <Paper withBorder>
          <Table.ScrollContainer type="native" minWidth={980}>
            <Table
              verticalSpacing={6}
              horizontalSpacing={7}
              highlightOnHover
              aria-busy={jobs.isPending}
            >
              <Table.Thead>
                <Table.Tr>
                  {mayOperate && (
                    <Table.Th w={36}>
                      <Checkbox
                        size="xs"
                        aria-label={t("jobs.selectAll")}
                        checked={items.length > 0 && chosen.length === items.length}
                        indeterminate={chosen.length > 0 && chosen.length < items.length}
                        onChange={(event) =>
                          select(event.currentTarget.checked, ...items.map((job) => job.id))
                        }
                      />
                    </Table.Th>
                  )}
                  {columns.map((column) => (
                    <SortableTh
                      key={column}
                      label={t(`jobs.column.${column}`)}
                      field={sortFields[column]}
                      sort={filter.sort}
                      onSort={(sort) => setFilter({ sort: word(sort, jobSorts) })}
                    />
                  ))}
                  <Table.Th ta="right" className="stuck">
                    {t("jobs.column.actions")}
                  </Table.Th>
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {rows ? (
                  <LaterRest items={rows}>
                    {(job) => (
                      <JobRow
                        key={job.id}
                        job={job}
                        isSelected={selected.has(job.id)}
                        onSelect={mayOperate ? select : undefined}
                      />
                    )}
                  </LaterRest>
                ) : (
                  <RowSkeletons columns={columns.length + 2} />
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
                text={t(mayEdit ? "jobs.emptyText" : "jobs.noneSeen")}
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
