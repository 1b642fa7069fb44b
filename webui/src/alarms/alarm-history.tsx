import { Badge, Paper, Table, Text } from "@mantine/core";
import { IconBell } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { queries } from "../api/queries";
import { Empty } from "../ui/empty";
import { Instant } from "../ui/instant";
import { AnchorLink } from "../ui/links";
import { Pager } from "../ui/pager";
import { QueryError } from "../ui/query-error";
import { RowSkeletons } from "../ui/row-skeletons";
import { ServerText } from "../ui/server-text";

const columns = ["at", "rule", "what", "channel", "state", "error"] as const;
const colors = { pending: "blue", delivered: "teal", failed: "red" } as const;

/** What was told to whom, and whether it arrived. */
export function AlarmHistory() {
  const { t } = useTranslation();
  const [cursor, setCursor] = useState<string>();
  const alarms = useQuery(queries.alarms({ cursor }));
  if (alarms.error && !alarms.data) {
    return <QueryError error={alarms.error} onRetry={() => void alarms.refetch()} />;
  }
  return (
    <>
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
      <Pager list={alarms.data} cursor={cursor} onCursor={setCursor} />
    </>
  );
}
