import { Checkbox, PasswordInput, Select, TextInput } from "@mantine/core";
import { isNotEmpty, useForm } from "@mantine/form";
import { useTranslation } from "react-i18next";
import { api, unwrap } from "../api/client";
import type { Account } from "../api/types";
import { Dialog } from "../ui/dialog";
import { DialogForm } from "../ui/dialog-form";
import { useFirst } from "../ui/use-first";
import { useSave } from "../ui/use-save";
import { GrantFields } from "./grant-fields";
import { systemRoles } from "./roles";

interface Props {
  /** The account to edit; absent for a new one. */
  account?: Account;
  onClose: () => void;
}

/** An account: its role on the whole installation, and its roles in groups. */
export function AccountModal({ account: shown, onClose }: Props) {
  const { t } = useTranslation();
  const account = useFirst(shown);
  const form = useForm({
    initialValues: {
      username: account?.username ?? "",
      password: "",
      role: account?.role ?? "user",
      grants: account?.grants ?? [],
      disabled: account?.disabled ?? false,
    },
    validate: {
      username: isNotEmpty(t("jobForm.required")),
      password: (value) => (!account && value === "" ? t("jobForm.required") : null),
    },
  });
  const save = useSave({
    save: ({ username, password, ...rest }: typeof form.values) => {
      const grants = rest.grants.filter((grant) => grant.group_id > 0);
      return account
        ? unwrap(
            api.PUT("/users/{id}", {
              params: { path: { id: account.id } },
              body: {
                ...rest,
                grants,
                password: password || undefined,
                version: account.version,
              },
            }),
          )
        : unwrap(
            api.POST("/users", { body: { ...rest, grants, username: username.trim(), password } }),
          );
    },
    queryKey: ["users"],
    form,
    onSaved: onClose,
  });

  return (
    <Dialog
      onClose={onClose}
      title={account ? t("users.editTitle", { name: account.username }) : t("users.add")}
      size="lg"
    >
      <DialogForm
        mutation={save}
        onSubmit={form.onSubmit((values) => save.mutate(values))}
        onCancel={onClose}
      >
        <TextInput
          label={t("users.username")}
          required
          disabled={account !== undefined}
          data-autofocus={account === undefined || undefined}
          autoComplete="off"
          {...form.getInputProps("username")}
        />
        <PasswordInput
          label={t("login.password")}
          description={account && t("users.passwordKept")}
          required={account === undefined}
          autoComplete="new-password"
          {...form.getInputProps("password")}
        />
        <Select
          label={t("users.role")}
          description={t(`role.hint.${form.values.role}`)}
          allowDeselect={false}
          data={systemRoles.map((value) => ({ value, label: t(`role.${value}`) }))}
          {...form.getInputProps("role")}
        />
        <GrantFields
          grants={form.values.grants}
          onChange={(grants) => form.setFieldValue("grants", grants)}
        />
        <Checkbox
          label={t("users.disable")}
          description={t("users.disableHint")}
          {...form.getInputProps("disabled", { type: "checkbox" })}
        />
      </DialogForm>
    </Dialog>
  );
}
