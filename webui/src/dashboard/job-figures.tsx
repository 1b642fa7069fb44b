import { Skeleton, Table, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { queries } from "../api/queries";
import { formatDuration } from "../time/duration";
import { AnchorLink } from "../ui/links";
import { QueryError } from "../ui/query-error";

interface Props {
  order: "slowest" | "failing";
  from: string;
  to: string;
  /** Of which group; all that the person may see without. */
  group_id: number | undefined;
  /** Whether the stretch was chosen and has an end; else it ends now, and so do its runs. */
  isChosen: boolean;
}

/** The jobs that took longest, or failed most. */
export function JobFigures({ order, from, to, group_id, isChosen }: Props) {
  const { t } = useTranslation();
  const figures = useQuery(queries.jobFigures(order, from, to, group_id));
  if (figures.error && !figures.data) {
    return <QueryError error={figures.error} onRetry={() => void figures.refetch()} />;
  }
  if (!figures.data) return <Skeleton h={140} />;
  const items = figures.data.items.filter((item) => order === "slowest" || item.failures > 0);
  if (items.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        {t(order === "failing" ? "dashboard.noFailures" : "dashboard.noRuns")}
      </Text>
    );
  }
  return (
    <Table verticalSpacing={4}>
      <Table.Tbody>
        {items.map((item) => (
          <Table.Tr key={item.job_id}>
            <Table.Td maw={0} w="100%">
              <AnchorLink
                to="/runs"
                search={{
                  job_id: item.job_id,
                  from,
                  to: isChosen ? to : undefined,
                  state: order === "failing" ? ["failed", "timed_out", "lost"] : undefined,
                }}
                size="sm"
                display="block"
                className="clip"
              >
                {item.name || `#${item.job_id}`}
              </AnchorLink>
            </Table.Td>
            <Table.Td>
              <Text size="sm" ta="right" className="nowrap">
                {order === "slowest"
                  ? `${formatDuration(item.avg_ms)} · ${t("dashboard.most", { time: formatDuration(item.max_ms) })}`
                  : t("dashboard.failuresOf", { failures: item.failures, runs: item.runs })}
              </Text>
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}
