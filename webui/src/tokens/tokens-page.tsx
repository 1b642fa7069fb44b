import { Button, Paper, Table, Text } from "@mantine/core";
import { IconKey, IconPlus } from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { api, unwrap } from "../api/client";
import { queries } from "../api/queries";
import type { Group, Token } from "../api/types";
import { ConfirmModal } from "../ui/confirm-modal";
import { Empty } from "../ui/empty";
import { Instant } from "../ui/instant";
import { useNotify } from "../ui/notify";
import { PageHead } from "../ui/page-head";
import { Pager } from "../ui/pager";
import { QueryError } from "../ui/query-error";
import { RowSkeletons } from "../ui/row-skeletons";
import { TokenModal } from "./token-modal";

const columns = ["name", "prefix", "role", "groups", "user", "expires", "lastUsed"] as const;

/** Tokens with which programs call the API. */
export function TokensPage() {
  const { t } = useTranslation();
  const filter = useSearch({ from: "/tokens" });
  const navigate = useNavigate({ from: "/tokens" });
  const tokens = useQuery(queries.tokens(filter));
  const groups = useQuery(queries.groups());
  const [isAdding, setAdding] = useState(false);
  const addButton = (
    <Button leftSection={<IconPlus size={16} />} onClick={() => setAdding(true)}>
      {t("tokens.add")}
    </Button>
  );
  return (
    <>
      <PageHead title={t("nav.tokens")} text={t("tokens.text")} actions={addButton} />
      {tokens.error && !tokens.data ? (
        <QueryError error={tokens.error} onRetry={() => void tokens.refetch()} />
      ) : (
        <Paper withBorder>
          <Table.ScrollContainer type="native" minWidth={760}>
            <Table verticalSpacing="xs" aria-busy={tokens.isPending}>
              <Table.Thead>
                <Table.Tr>
                  {columns.map((column) => (
                    <Table.Th key={column}>{t(`tokens.${column}`)}</Table.Th>
                  ))}
                  <Table.Th ta="right">{t("jobs.column.actions")}</Table.Th>
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {tokens.data ? (
                  tokens.data.items.map((token) => (
                    <TokenRow key={token.id} token={token} groups={groups.data?.items} />
                  ))
                ) : (
                  <RowSkeletons columns={columns.length + 1} />
                )}
              </Table.Tbody>
            </Table>
          </Table.ScrollContainer>
          {tokens.data?.items.length === 0 && (
            <Empty
              icon={<IconKey />}
              title={t("tokens.emptyTitle")}
              text={t("tokens.emptyText")}
              actions={addButton}
            />
          )}
        </Paper>
      )}
      <Pager
        list={tokens.data}
        cursor={filter.cursor}
        onCursor={(cursor) => void navigate({ search: { cursor } })}
      />
      {isAdding && <TokenModal onClose={() => setAdding(false)} />}
    </>
  );
}

function TokenRow({ token, groups }: { token: Token; groups: Group[] | undefined }) {
  const { t } = useTranslation();
  const notify = useNotify();
  const queryClient = useQueryClient();
  const [isAsking, setAsking] = useState(false);
  const revoke = useMutation({
    mutationFn: () => unwrap(api.DELETE("/tokens/{id}", { params: { path: { id: token.id } } })),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: ["tokens"] });
      setAsking(false);
    },
    onError: notify.failed,
  });
  return (
    <Table.Tr>
      <Table.Td>
        <Text size="sm" fw={600}>
          {token.name}
        </Text>
      </Table.Td>
      <Table.Td>
        <Text size="sm" ff="monospace">
          {token.prefix}…
        </Text>
      </Table.Td>
      <Table.Td>
        <Text size="sm">{t(`role.${token.role}`)}</Text>
      </Table.Td>
      <Table.Td maw={200}>
        <TokenGroups ids={token.group_ids} groups={groups} />
      </Table.Td>
      <Table.Td>
        <Text size="sm">{token.username}</Text>
      </Table.Td>
      <Table.Td>
        {token.expires_at ? <Instant at={token.expires_at} /> : t("tokens.never")}
      </Table.Td>
      <Table.Td>
        <Instant at={token.last_used_at} />
      </Table.Td>
      <Table.Td ta="right">
        <Button size="compact-sm" variant="subtle" color="red" onClick={() => setAsking(true)}>
          {t("tokens.revoke")}
        </Button>
        {isAsking && (
          <ConfirmModal
            title={t("tokens.revokeTitle")}
            text={t("tokens.revokeText", { name: token.name })}
            confirm={t("tokens.revoke")}
            danger
            pending={revoke.isPending}
            onConfirm={() => revoke.mutate()}
            onClose={() => setAsking(false)}
          />
        )}
      </Table.Td>
    </Table.Tr>
  );
}

/** The groups that a token is bound to, by their titles; none for all of its user. */
function TokenGroups({ ids, groups }: { ids: number[]; groups: Group[] | undefined }) {
  const { t } = useTranslation();
  if (ids.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        {t("executors.allOfUser")}
      </Text>
    );
  }
  // Of those that are gone, or not to be seen, there is the number.
  const titles = ids.map((id) => groups?.find((group) => group.id === id)?.title ?? `#${id}`);
  return (
    <Text size="sm" className="clip" title={titles.join("\n")}>
      {titles.join(", ")}
    </Text>
  );
}
