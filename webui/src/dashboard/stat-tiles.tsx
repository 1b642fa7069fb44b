import { Paper, SimpleGrid, Skeleton, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { queries } from "../api/queries";
import { formatDuration } from "../time/duration";
import { formatInstant, fromInputValue } from "../time/zone";
import { AnchorLink } from "../ui/links";
import { QueryError } from "../ui/query-error";
import { useZone } from "../ui/zone";

/** The numbers that tell whether all is well. */
export function StatTiles({ groupID }: { groupID: number | undefined }) {
  const { t } = useTranslation();
  const zone = useZone();
  const summary = useQuery(queries.summary(groupID));
  if (summary.error && !summary.data) {
    return <QueryError error={summary.error} onRetry={() => void summary.refetch()} />;
  }
  const data = summary.data;
  return (
    <SimpleGrid cols={{ base: 2, md: 5 }} aria-busy={!data}>
      <Tile
        name={<AnchorLink to="/jobs" search={{ group_id: groupID }}>
            {t("nav.jobs")}
          </AnchorLink>}
        value={data && `${data.jobs.enabled}`}
        text={data && t("dashboard.ofJobs", { total: data.jobs.total })}
      />
      <Tile
        name={
          <AnchorLink
            to="/runs"
            search={
              data && {
                from: midnight(new Date(summary.dataUpdatedAt), zone),
                group_id: groupID,
              }
            }
          >
            {t("dashboard.runsToday")}
          </AnchorLink>
        }
        value={data && `${data.runs_today.total}`}
        text={data && t("dashboard.runsText", data.runs_today)}
      />
      <Tile
        name={t("dashboard.successRate")}
        value={data && (data.success_rate === null ? "–" : percent(data.success_rate))}
        text={t("dashboard.today")}
      />
      <Tile
        name={<AnchorLink to="/executors">{t("dashboard.executors")}</AnchorLink>}
        value={data && `${data.executors.alive}`}
        text={data && t("dashboard.ofExecutors", { total: data.executors.total })}
      />
      <Tile
        name={t("dashboard.lateness")}
        value={data && formatDuration(data.lateness_ms.p50 ?? 0)}
        text={data && t("dashboard.p99", { time: formatDuration(data.lateness_ms.p99 ?? 0) })}
      />
    </SimpleGrid>
  );
}

interface TileProps {
  name: ReactNode;
  value: string | undefined;
  text: string | undefined;
}

function Tile({ name, value, text }: TileProps) {
  return (
    <Paper withBorder p="md">
      <Text size="sm" c="dimmed" component="div">
        {name}
      </Text>
      {value === undefined ? (
        <Skeleton h={30} my={6} w="60%" />
      ) : (
        <Text fz={28} fw={700} lh={1.4}>
          {value}
        </Text>
      )}
      <Text size="xs" c="dimmed">
        {text ?? "\u00a0"}
      </Text>
    </Paper>
  );
}

/** The beginning of the day in a zone. */
function midnight(now: Date, zone: string): string | undefined {
  return fromInputValue(`${formatInstant(now, zone).slice(0, 10)}T00:00`, zone)?.toISOString();
}

/** A share in percent, never rounded up to all of it. */
function percent(share: number): string {
  const value = share * 100;
  return `${(value < 100 ? Math.min(Math.floor(value * 10) / 10, 99.9) : value).toString()} %`;
}
