import { Group, Paper, Skeleton, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { queries } from "../api/queries";
import type { Run } from "../api/types";
import { Instant } from "../ui/instant";
import { AnchorLink } from "../ui/links";
import { QueryError } from "../ui/query-error";
import { runTree } from "./run-tree";
import { StateBadge } from "./state-badge";

const indent = 22; // px a step down the tree

/** Retries, shards, children and parents of a run as a tree; nothing when it stands alone. */
export function RelatedRuns({ run }: { run: Run }) {
  const { t } = useTranslation();
  const related = useQuery(queries.related(run.id, run.ended_at === null));
  if (related.isPending) return <Skeleton h={60} />;
  if (related.error) {
    return <QueryError error={related.error} onRetry={() => void related.refetch()} />;
  }
  const tree = runTree([run, ...related.data.items]);
  if (tree.length < 2) return null;
  return (
    <Paper withBorder p="md">
      <Title order={2} size="h5" mb="sm">
        {t("run.related")}
      </Title>
      <ul className="tree">
        {tree.map(({ run: node, depth }) => (
          <li key={node.id} style={{ marginLeft: depth * indent }}>
            <Group gap="xs" wrap="nowrap">
              <StateBadge state={node.state} size="sm" />
              {node.id === run.id ? (
                <Text size="sm" fw={700} ff="monospace">
                  {node.id}
                </Text>
              ) : (
                <AnchorLink to="/runs/$runID" params={{ runID: node.id }} size="sm" ff="monospace">
                  {node.id}
                </AnchorLink>
              )}
              <Text size="sm" className="clip">
                {node.job_name} · {t(`cause.${node.cause}`)}
                {node.attempt > 0 && ` · ${t("run.attempt", { attempt: node.attempt })}`}
                {node.shard_total > 1 &&
                  node.shard >= 0 &&
                  ` · ${t("run.shard")} ${node.shard} / ${node.shard_total}`}
              </Text>
              <Instant at={node.started_at ?? node.due_at} size="xs" />
            </Group>
          </li>
        ))}
      </ul>
    </Paper>
  );
}
