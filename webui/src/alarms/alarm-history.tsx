import { Badge, Paper, Table, Text } from "@mantine/core";
import { IconBell } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { queries } from "../api/queries";
import { Empty } from "../ui/empty";
import { Instant } from "../ui/instant";
import { AnchorLink } from "../ui/links";
import { Pager } from "../ui/pager";
import { QueryError } from "../ui/query-error";
import { RowSkeletons } from "../ui/row-skeletons";
import { ServerText } from "../ui/server-text";
import { AlarmFilters } from "./alarm-filters";

const columns = ["at", "rule", "what", "channel", "state", "error"] as const;
const colors = { pending: "blue", delivered: "teal", failed: "red" } as const;

/** What was told to whom, and whether it arrived. */
export function AlarmHistory() {
  const { t } = useTranslation();
  const { tab, ...filter } = useSearch({ from: "/alarms" });
  const navigate = useNavigate({ from: "/alarms" });
  const alarms = useQuery(queries.alarms(filter));
  if (alarms.error && !alarms.data) {
    return <QueryError error={alarms.error} onRetry={() => void alarms.refetch()} />;
  }
  return (
    <>
      <AlarmFilters
        filter={filter}
        onChange={(change) =>
          void navigate({ search: { ...filter, tab, cursor: undefined, ...change }, replace: true })
        }
      />
      <Paper withBorder>
        <Table verticalSpacing={6} aria-busy={alarms.isPending}>
          <Table.Thead>
            <Table.Tr>
              {columns.map((column) => (
                <Table.Th key={column}>{t(`alarms.column.${column}`)}</Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {alarms.data ? (
              alarms.data.items.map((entry) => (
                <Table.Tr key={entry.id}>
                  <Table.Td>
                    <Instant at={entry.at} />
                  </Table.Td>
                  <Table.Td>{entry.rule}</Table.Td>
                  <Table.Td>
                    {entry.run_id ? (
                      <AnchorLink to="/runs/$runID" params={{ runID: entry.run_id }} size="sm">
                        {t(`alarms.event.${entry.kind}`)}
                      </AnchorLink>
                    ) : (
                      t(`alarms.event.${entry.kind}`)
                    )}
                  </Table.Td>
                  <Table.Td>{entry.channel}</Table.Td>
                  <Table.Td>
                    <Badge variant="light" color={colors[entry.state]}>
                      {t(`alarms.state.${entry.state}`)}
                    </Badge>
                  </Table.Td>
                  <Table.Td>
                    <Text size="sm" c="dimmed">
                      {entry.last_error && <ServerText text={entry.last_error} />}
                    </Text>
                  </Table.Td>
                </Table.Tr>
              ))
            ) : (
              <RowSkeletons columns={columns.length} />
            )}
          </Table.Tbody>
        </Table>
        {alarms.data?.items.length === 0 && (
          <Empty
            icon={<IconBell />}
            title={t("alarms.noneTitle")}
            text={t("alarms.noneText")}
          />
        )}
      </Paper>
      <Pager
        list={alarms.data}
        cursor={filter.cursor}
        onCursor={(cursor) => void navigate({ search: { ...filter, tab, cursor } })}
      />
    </>
  );
}
