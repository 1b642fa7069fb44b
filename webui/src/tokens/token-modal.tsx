import { Button, Group, MultiSelect, Select, Stack, TextInput } from "@mantine/core";
import { isNotEmpty, useForm } from "@mantine/form";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { api, unwrap } from "../api/client";
import { queries } from "../api/queries";
import { groupRoles } from "../users/roles";
import { Dialog } from "../ui/dialog";
import { DialogForm } from "../ui/dialog-form";
import { InstantInput } from "../ui/instant-input";
import { SecretOnce } from "../ui/secret-once";
import { useSave } from "../ui/use-save";

/** Makes an API token and shows it, once. */
export function TokenModal({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  const me = useQuery(queries.me());
  const groups = useQuery(queries.groups());
  const form = useForm({
    initialValues: {
      name: "",
      role: "viewer" as (typeof groupRoles)[number] | "admin" | "auditor",
      group_ids: [] as string[],
      expires_at: null as string | null,
    },
    validate: { name: isNotEmpty(t("jobForm.required")) },
  });
  const create = useSave({
    save: ({ group_ids, ...rest }: typeof form.values) =>
      unwrap(
        api.POST("/tokens", {
          body: { ...rest, name: rest.name.trim(), group_ids: group_ids.map(Number) },
        }),
      ),
    queryKey: ["tokens"],
    form,
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
        <DialogForm
          mutation={create}
          submit={t("tokens.create")}
          onSubmit={form.onSubmit((values) => create.mutate(values))}
          onCancel={onClose}
        >
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
        </DialogForm>
      )}
    </Dialog>
  );
}
