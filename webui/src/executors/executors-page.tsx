import { Badge, Button, Group, Paper, Skeleton, Stack, Text } from "@mantine/core";
import {
  IconEdit,
  IconKey,
  IconLock,
  IconPlus,
  IconSearch,
  IconSearchOff,
  IconServer2,
  IconTrash,
} from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { api, unwrap } from "../api/client";
import { queries, wholeList } from "../api/queries";
import type { Executor, Group as ExecutorGroup } from "../api/types";
import { SecretsModal } from "../secrets/secrets-modal";
import { ConfirmModal } from "../ui/confirm-modal";
import { Empty } from "../ui/empty";
import { FilterInput } from "../ui/filter-input";
import { useNotify } from "../ui/notify";
import { useRight } from "../session/use-right";
import { PageHead } from "../ui/page-head";
import { QueryError } from "../ui/query-error";
import { GroupModal } from "./group-modal";
import { GroupTokensModal } from "./group-tokens-modal";
import { NodeTable } from "./node-table";
import { WaitingApps } from "./waiting-apps";

/** Executor groups and the nodes that are registered in them. */
export function ExecutorsPage() {
  const { t } = useTranslation();
  const { q } = useSearch({ from: "/executors" });
  const navigate = useNavigate({ from: "/executors" });
  const me = useQuery(queries.me());
  const groups = useQuery(queries.groups());
  const executors = useQuery(queries.executors());
  const [isAdding, setAdding] = useState(false);
  const canAdd = me.data?.rights.includes("system.admin") ?? false;
  const error = groups.error ?? executors.error;
  const part = q?.toLowerCase() ?? "";
  const shown = groups.data?.items.filter(
    ({ app_name, title }) =>
      app_name.toLowerCase().includes(part) || title.toLowerCase().includes(part),
  );
  const addButton = canAdd && (
    <Button leftSection={<IconPlus size={16} />} onClick={() => setAdding(true)}>
      {t("executors.add")}
    </Button>
  );

  return (
    <>
      <PageHead title={t("nav.executors")} text={t("executors.text")} actions={addButton} />
      {canAdd && <WaitingApps />}
      <Group mb="md" gap="sm" role="search" aria-label={t("filter.label")}>
        <FilterInput
          aria-label={t("executors.search")}
          placeholder={t("executors.search")}
          leftSection={<IconSearch size={16} />}
          w={260}
          value={q}
          onChange={(typed) => void navigate({ search: { q: typed }, replace: true })}
        />
        {(groups.data?.next_cursor || executors.data?.next_cursor) && (
          <Text size="sm" c="dimmed">
            {t(groups.data?.next_cursor ? "executors.moreGroups" : "executors.moreNodes", {
              shown: wholeList,
            })}
          </Text>
        )}
      </Group>
      {error && !groups.data && (
        <QueryError
          error={error}
          onRetry={() => void Promise.all([groups.refetch(), executors.refetch()])}
        />
      )}
      <Stack>
        {!groups.data && !error && [0, 1].map((row) => <Skeleton key={row} h={140} />)}
        {groups.data?.items.length === 0 && (
          <Empty
            icon={<IconServer2 />}
            title={t("executors.emptyTitle")}
            text={t(canAdd ? "executors.emptyText" : "executors.noneSeen")}
            actions={addButton}
          />
        )}
        {shown?.length === 0 && groups.data && groups.data.items.length > 0 && (
          <Empty
            icon={<IconSearchOff />}
            title={t("executors.noMatchTitle")}
            text={t("jobs.noMatchText")}
            actions={
              <Button variant="default" onClick={() => void navigate({ search: {} })}>
                {t("filter.reset")}
              </Button>
            }
          />
        )}
        {shown?.map((group) => (
          <GroupCard
            key={group.id}
            group={group}
            nodes={executors.data?.items.filter((node) => node.app_name === group.app_name)}
            canDelete={canAdd}
          />
        ))}
      </Stack>
      {isAdding && <GroupModal onClose={() => setAdding(false)} />}
    </>
  );
}

interface CardProps {
  group: ExecutorGroup;
  nodes: Executor[] | undefined;
  canDelete: boolean;
}

function GroupCard({ group, nodes, canDelete }: CardProps) {
  const canEdit = useRight("group.edit", group.id);
  const { t } = useTranslation();
  const [dialog, setDialog] = useState<"edit" | "delete" | "tokens" | "secrets">();
  const close = () => setDialog(undefined);
  return (
    <Paper withBorder p="md" component="section" aria-label={group.title}>
      <Group justify="space-between" mb="sm">
        <Group gap="sm">
          <Text fw={600}>{group.title}</Text>
          <Text size="sm" ff="monospace" c="dimmed">
            {group.app_name}
          </Text>
          <Badge variant="default">
            {t(group.address_type === 1 ? "executors.manual" : "executors.automatic")}
          </Badge>
        </Group>
        {canEdit && (
          <Group gap={4}>
            <Button
              size="compact-sm"
              variant="subtle"
              leftSection={<IconEdit size={15} />}
              onClick={() => setDialog("edit")}
            >
              {t("action.edit")}
            </Button>
            <Button
              size="compact-sm"
              variant="subtle"
              leftSection={<IconKey size={15} />}
              onClick={() => setDialog("tokens")}
            >
              {t("wireTokens.button")}
            </Button>
            <Button
              size="compact-sm"
              variant="subtle"
              leftSection={<IconLock size={15} />}
              onClick={() => setDialog("secrets")}
            >
              {t("secrets.button")}
            </Button>
            {canDelete && (
              <Button
                size="compact-sm"
                variant="subtle"
                color="red"
                leftSection={<IconTrash size={15} />}
                onClick={() => setDialog("delete")}
              >
                {t("action.delete")}
              </Button>
            )}
          </Group>
        )}
      </Group>
      {group.address_type === 1 && (
        <Text size="sm" mb="xs">
          {t("executors.addresses")}: {group.address_list.join(", ") || "–"}
        </Text>
      )}
      {nodes ? <NodeTable nodes={nodes} appName={group.app_name} /> : <Skeleton h={60} />}
      {dialog === "edit" && <GroupModal group={group} onClose={close} />}
      {dialog === "tokens" && <GroupTokensModal group={group} onClose={close} />}
      {dialog === "secrets" && <SecretsModal group={group} onClose={close} />}
      {dialog === "delete" && <DeleteGroup group={group} onClose={close} />}
    </Paper>
  );
}

function DeleteGroup({ group, onClose }: { group: ExecutorGroup; onClose: () => void }) {
  const { t } = useTranslation();
  const notify = useNotify();
  const queryClient = useQueryClient();
  const remove = useMutation({
    mutationFn: () => unwrap(api.DELETE("/groups/{id}", { params: { path: { id: group.id } } })),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: ["groups"] });
      onClose();
    },
    onError: notify.failed,
  });
  return (
    <ConfirmModal
      title={t("executors.deleteTitle")}
      text={t("executors.deleteText", { name: group.title })}
      confirm={t("action.delete")}
      danger
      pending={remove.isPending}
      onConfirm={() => remove.mutate()}
      onClose={onClose}
    />
  );
}
