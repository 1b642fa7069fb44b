import {
  Button,
  Group,
  PasswordInput,
  Skeleton,
  Stack,
  Table,
  Text,
  TextInput,
} from "@mantine/core";
import { isNotEmpty, useForm } from "@mantine/form";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { api, unwrap } from "../api/client";
import { queries } from "../api/queries";
import type { Group as ExecutorGroup } from "../api/types";
import { Dialog } from "../ui/dialog";
import { ErrorAlert } from "../ui/error-alert";
import { Instant } from "../ui/instant";
import { useNotify } from "../ui/notify";
import { QueryError } from "../ui/query-error";
import { SecretOnce } from "../ui/secret-once";
import { ServerText } from "../ui/server-text";
import { SureButton } from "../ui/sure-button";
import { useSave } from "../ui/use-save";

/** The access tokens with which the executors of a group register. */
export function GroupTokensModal({ group, onClose }: { group: ExecutorGroup; onClose: () => void }) {
  const { t } = useTranslation();
  const notify = useNotify();
  const queryClient = useQueryClient();
  const tokens = useQuery(queries.groupTokens(group.id));
  const refresh = () => queryClient.invalidateQueries({ queryKey: ["groups", group.id, "tokens"] });
  const revoke = useMutation({
    mutationFn: (token_id: number) =>
      unwrap(
        api.DELETE("/groups/{id}/tokens/{token_id}", {
          params: { path: { id: group.id, token_id } },
        }),
      ),
    onSuccess: refresh,
    onError: notify.failed,
  });
  return (
    <Dialog onClose={onClose} title={t("wireTokens.title", { name: group.title })} size="lg">
      <Stack>
        <Text size="sm" c="dimmed">
          {t("wireTokens.text")}
        </Text>
        {tokens.error && (
          <QueryError error={tokens.error} onRetry={() => void tokens.refetch()} />
        )}
        {tokens.isPending && <Skeleton h={60} />}
        {tokens.data?.items.length === 0 && <Text size="sm">{t("wireTokens.none")}</Text>}
        {tokens.data && tokens.data.items.length > 0 && (
          <Table verticalSpacing={6}>
            <Table.Tbody>
              {tokens.data.items.map((token) => (
                <Table.Tr key={token.id}>
                  <Table.Td>
                    <Text size="sm" fw={600}>
                      {token.name}
                    </Text>
                    {token.warning && (
                      <Text size="xs" c="red">
                        <ServerText text={token.warning} />
                      </Text>
                    )}
                  </Table.Td>
                  <Table.Td>
                    <Text size="sm" ff="monospace">
                      {token.prefix}…
                    </Text>
                  </Table.Td>
                  <Table.Td>
                    <Instant at={token.last_used_at} />
                  </Table.Td>
                  <Table.Td ta="right">
                    <SureButton
                      words={t("tokens.revoke")}
                      text={t("wireTokens.revokeText")}
                      pending={revoke.isPending}
                      onConfirm={() => revoke.mutate(token.id)}
                    />
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        )}
        <NewToken groupID={group.id} />
      </Stack>
    </Dialog>
  );
}

function NewToken({ groupID }: { groupID: number }) {
  const { t } = useTranslation();
  const form = useForm({
    initialValues: { name: "", token: "" },
    validate: { name: isNotEmpty(t("jobForm.required")) },
  });
  const create = useSave({
    save: ({ name, token }: typeof form.values) =>
      unwrap(
        api.POST("/groups/{id}/tokens", {
          params: { path: { id: groupID } },
          body: { name: name.trim(), token: token || undefined },
        }),
      ),
    queryKey: queries.groupTokens(groupID).queryKey,
    form,
    onSaved: form.reset,
  });
  return (
    <form onSubmit={form.onSubmit((values) => create.mutate(values))}>
      <Stack gap="xs">
        {create.data && <SecretOnce token={create.data.token} warning={create.data.warning} />}
        <ErrorAlert error={create.error} />
        <Group align="start" grow>
          <TextInput label={t("tokens.name")} required {...form.getInputProps("name")} />
          <PasswordInput
            label={t("wireTokens.own")}
            description={t("wireTokens.ownHint")}
            autoComplete="off"
            inputWrapperOrder={["label", "input", "description", "error"]}
            {...form.getInputProps("token")}
          />
        </Group>
        <Group justify="flex-end">
          <Button type="submit" loading={create.isPending}>
            {t("tokens.create")}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
