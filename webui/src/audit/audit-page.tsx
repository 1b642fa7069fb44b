import { Button, Group, Paper, Table } from "@mantine/core";
import { IconDownload, IconShieldSearch } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { type AuditFilter, queries } from "../api/queries";
import { Empty } from "../ui/empty";
import { FilterInput } from "../ui/filter-input";
import { GroupSelect } from "../ui/group-select";
import { PageHead } from "../ui/page-head";
import { Pager } from "../ui/pager";
import { QueryError } from "../ui/query-error";
import { RowSkeletons } from "../ui/row-skeletons";
import { SpanInput } from "../ui/span-input";
import { AuditRow } from "./audit-row";
import { exportAddress } from "./export-address";

const columns = ["at", "actor", "action", "object", "address"] as const;

/** Who changed what, and when. */
export function AuditPage() {
  const { t } = useTranslation();
  const filter = useSearch({ from: "/audit" });
  const navigate = useNavigate({ from: "/audit" });
  const audit = useQuery(queries.audit(filter));
  const setFilter = (change: AuditFilter) =>
    void navigate({ search: (old) => ({ ...old, cursor: undefined, ...change }), replace: true });
  const textFilter = (
    name: "actor" | "action" | "object_type" | "object_id" | "q",
    width: number,
  ) => ({
    "aria-label": t(`audit.filter.${name}`),
    placeholder: t(`audit.filter.${name}`),
    w: width,
    value: filter[name],
    onChange: (value: string | undefined) => setFilter({ [name]: value }),
  });
  return (
    <>
      <PageHead
        title={t("nav.audit")}
        text={t("audit.text")}
        actions={
          <>
            {(["csv", "ndjson"] as const).map((format) => (
              <Button
                key={format}
                component="a"
                href={exportAddress(filter, format)}
                download
                variant="default"
                leftSection={<IconDownload size={16} />}
              >
                {format.toUpperCase()}
              </Button>
            ))}
          </>
        }
      />
      <Group mb="md" gap="xs" role="search" aria-label={t("filter.label")}>
        <FilterInput {...textFilter("actor", 130)} />
        <FilterInput {...textFilter("action", 150)} />
        <FilterInput {...textFilter("object_type", 130)} />
        <FilterInput {...textFilter("object_id", 110)} />
        <GroupSelect
          aria-label={t("job.group_id")}
          placeholder={t("job.group_id")}
          clearable
          w={180}
          value={filter.group_id}
          onChange={(group_id) => setFilter({ group_id })}
        />
        <SpanInput
          span={filter}
          from={t("audit.filter.from")}
          to={t("audit.filter.to")}
          onChange={setFilter}
        />
        <FilterInput {...textFilter("q", 170)} />
      </Group>
      {audit.error && !audit.data ? (
        <QueryError error={audit.error} onRetry={() => void audit.refetch()} />
      ) : (
        <Paper withBorder>
          <Table.ScrollContainer type="native" minWidth={860}>
            <Table verticalSpacing={6} aria-busy={audit.isPending}>
              <Table.Thead>
                <Table.Tr>
                  {columns.map((column) => (
                    <Table.Th key={column}>{t(`audit.${column}`)}</Table.Th>
                  ))}
                  <Table.Th />
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {audit.data ? (
                  audit.data.items.map((entry) => <AuditRow key={entry.id} entry={entry} />)
                ) : (
                  <RowSkeletons columns={columns.length + 1} />
                )}
              </Table.Tbody>
            </Table>
          </Table.ScrollContainer>
          {audit.data?.items.length === 0 && (
            <Empty
              icon={<IconShieldSearch />}
              title={t("audit.emptyTitle")}
              text={t("audit.emptyText")}
            />
          )}
        </Paper>
      )}
      <Pager
        list={audit.data}
        cursor={filter.cursor}
        onCursor={(cursor) => void navigate({ search: (old) => ({ ...old, cursor }) })}
      />
    </>
  );
}
