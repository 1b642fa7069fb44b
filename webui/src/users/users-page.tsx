import { Badge, Button, Paper, Table, Text } from "@mantine/core";
import { IconPlus, IconUsers } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { queries } from "../api/queries";
import type { Account } from "../api/types";
import { Empty } from "../ui/empty";
import { FilterInput } from "../ui/filter-input";
import { Instant } from "../ui/instant";
import { PageHead } from "../ui/page-head";
import { Pager } from "../ui/pager";
import { QueryError } from "../ui/query-error";
import { RowSkeletons } from "../ui/row-skeletons";
import { AccountActions } from "./account-actions";
import { AccountModal } from "./account-modal";
import { GrantList } from "./grant-list";

const columns = ["username", "role", "grants", "lastLogin", "state"] as const;

/** Who may log in, and what they may do. */
export function UsersPage() {
  const { t } = useTranslation();
  const filter = useSearch({ from: "/users" });
  const navigate = useNavigate({ from: "/users" });
  const me = useQuery(queries.me());
  const users = useQuery(queries.users(filter));
  const [isAdding, setAdding] = useState(false);
  const canEdit = me.data?.rights.includes("user.edit") ?? false;
  return (
    <>
      <PageHead
        title={t("nav.users")}
        text={t("users.text")}
        actions={
          canEdit && (
            <Button leftSection={<IconPlus size={16} />} onClick={() => setAdding(true)}>
              {t("users.add")}
            </Button>
          )
        }
      />
      <FilterInput
        mb="md"
        w={240}
        aria-label={t("users.username")}
        placeholder={t("users.username")}
        value={filter.q}
        onChange={(q) => void navigate({ search: { q }, replace: true })}
      />
      {users.error && !users.data ? (
        <QueryError error={users.error} onRetry={() => void users.refetch()} />
      ) : (
        <Paper withBorder>
          <Table.ScrollContainer type="native" minWidth={760}>
            <Table verticalSpacing="xs" highlightOnHover aria-busy={users.isPending}>
              <Table.Thead>
                <Table.Tr>
                  {columns.map((column) => (
                    <Table.Th key={column}>{t(`users.${column}`)}</Table.Th>
                  ))}
                  <Table.Th ta="right">{t("jobs.column.actions")}</Table.Th>
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {users.data ? (
                  users.data.items.map((account) => (
                    <AccountRow
                      key={account.id}
                      account={account}
                      canEdit={canEdit}
                      isSelf={account.id === me.data?.id}
                    />
                  ))
                ) : (
                  <RowSkeletons columns={columns.length + 1} />
                )}
              </Table.Tbody>
            </Table>
          </Table.ScrollContainer>
          {users.data?.items.length === 0 && (
            <Empty
              icon={<IconUsers />}
              title={t("users.noMatchTitle")}
              text={t("users.noMatchText")}
            />
          )}
        </Paper>
      )}
      <Pager
        list={users.data}
        cursor={filter.cursor}
        onCursor={(cursor) => void navigate({ search: (old) => ({ ...old, cursor }) })}
      />
      {isAdding && <AccountModal onClose={() => setAdding(false)} />}
    </>
  );
}

interface RowProps {
  account: Account;
  canEdit: boolean;
  isSelf: boolean;
}

function AccountRow({ account, canEdit, isSelf }: RowProps) {
  const { t } = useTranslation();
  return (
    <Table.Tr>
      <Table.Td>
        <Text size="sm" fw={600}>
          {account.username}
        </Text>
      </Table.Td>
      <Table.Td>
        <Text size="sm">{t(`role.${account.role}`)}</Text>
      </Table.Td>
      <Table.Td>
        <GrantList grants={account.grants} />
      </Table.Td>
      <Table.Td>
        <Instant at={account.last_login_at} />
      </Table.Td>
      <Table.Td>
        <Badge variant="light" color={account.disabled ? "gray" : "teal"}>
          {t(account.disabled ? "users.disabled" : "users.enabled")}
        </Badge>
      </Table.Td>
      <Table.Td>{canEdit && <AccountActions account={account} isSelf={isSelf} />}</Table.Td>
    </Table.Tr>
  );
}
