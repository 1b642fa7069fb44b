import { Alert, Button, Group, MultiSelect, Select, Stack, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { IconAlertCircle } from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { api, unwrap } from "../api/client";
import { fieldErrors } from "../api/problem";
import { queries } from "../api/queries";
import { groupRoles } from "../users/roles";
import { Dialog } from "../ui/dialog";
import { useErrorText } from "../ui/error-text";
import { InstantInput } from "../ui/instant-input";
import { SecretOnce } from "../ui/secret-once";

/** Makes an API token and shows it, once. */
export function TokenModal({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const queryClient = useQueryClient();
  const me = useQuery(queries.me());
  const groups = useQuery(queries.groups());
  const form = useForm({
    initialValues: {
      name: "",
      role: "viewer" as (typeof groupRoles)[number] | "admin" | "auditor",
      group_ids: [] as string[],
      expires_at: null as string | null,
    },
    validate: { name: (value) => (value.trim() === "" ? t("jobForm.required") : null) },
  });
  const create = useMutation({
    mutationFn: ({ group_ids, ...rest }: typeof form.values) =>
      unwrap(
        api.POST("/tokens", {
          body: { ...rest, name: rest.name.trim(), group_ids: group_ids.map(Number) },
        }),
      ),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ["tokens"] }),
    onError: (error) => form.setErrors(fieldErrors(error)),
  });
  const roles =
    me.data?.role === "admin" ? [...groupRoles, "auditor" as const, "admin" as const] : groupRoles;

  return (
    <Dialog onClose={onClose} title={t("tokens.add")}>
      {create.data ? (
        <Stack>
          <SecretOnce token={create.data.token} />
          <Group justify="flex-end">
            <Button onClick={onClose}>{t("action.close")}</Button>
          </Group>
        </Stack>
      ) : (
        <form onSubmit={form.onSubmit((values) => create.mutate(values))}>
          <Stack>
            {create.error && (
              <Alert color="red" icon={<IconAlertCircle />} role="alert">
                {errorText(create.error)}
              </Alert>
            )}
            <TextInput
              label={t("tokens.name")}
              description={t("tokens.nameHint")}
              required
              data-autofocus
              {...form.getInputProps("name")}
            />
            <Select
              label={t("tokens.role")}
              allowDeselect={false}
              data={roles.map((value) => ({ value, label: t(`role.${value}`) }))}
              {...form.getInputProps("role")}
            />
            <MultiSelect
              label={t("tokens.groups")}
              description={t("tokens.groupsHint")}
              data={(groups.data?.items ?? []).map((group) => ({
                value: String(group.id),
                label: group.title,
              }))}
              {...form.getInputProps("group_ids")}
            />
            <InstantInput
              label={t("tokens.expires")}
              description={t("tokens.expiresHint")}
              {...form.getInputProps("expires_at")}
            />
            <Group justify="flex-end">
              <Button variant="default" onClick={onClose}>
                {t("action.cancel")}
              </Button>
              <Button type="submit" loading={create.isPending}>
                {t("tokens.create")}
              </Button>
            </Group>
          </Stack>
        </form>
      )}
    </Dialog>
  );
}
