import { List, Skeleton, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { queries } from "../api/queries";
import type { Job } from "../api/types";
import { Dialog } from "../ui/dialog";
import { QueryError } from "../ui/query-error";

/** The addresses at which the job would run now. */
export function NodesModal({ job, onClose }: { job: Job; onClose: () => void }) {
  const { t } = useTranslation();
  const nodes = useQuery(queries.groupExecutors(job.group_id));
  return (
    <Dialog onClose={onClose} title={t("jobs.nodes")}>
      {nodes.error && <QueryError error={nodes.error} onRetry={() => void nodes.refetch()} />}
      {nodes.isPending && <Skeleton h={40} />}
      {nodes.data?.items.length === 0 && <Text size="sm">{t("executors.noNodes")}</Text>}
      <List type="ordered" size="sm">
        {nodes.data?.items.map((node) => (
          <List.Item key={node.address}>{node.address}</List.Item>
        ))}
      </List>
    </Dialog>
  );
}
