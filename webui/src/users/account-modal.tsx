import {
  Alert,
  Button,
  Checkbox,
  Group,
  PasswordInput,
  Select,
  Stack,
  TextInput,
} from "@mantine/core";
import { useForm } from "@mantine/form";
import { IconAlertCircle } from "@tabler/icons-react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { api, unwrap } from "../api/client";
import { fieldErrors } from "../api/problem";
import type { Account } from "../api/types";
import { Dialog } from "../ui/dialog";
import { useErrorText } from "../ui/error-text";
import { GrantFields } from "./grant-fields";
import { systemRoles } from "./roles";

interface Props {
  /** The account to edit; absent for a new one. */
  account?: Account;
  onClose: () => void;
}

/** An account: its role on the whole installation, and its roles in groups. */
export function AccountModal({ account, onClose }: Props) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const queryClient = useQueryClient();
  const form = useForm({
    initialValues: {
      username: account?.username ?? "",
      password: "",
      role: account?.role ?? "user",
      grants: account?.grants ?? [],
      disabled: account?.disabled ?? false,
    },
    validate: {
      username: (value) => (value.trim() === "" ? t("jobForm.required") : null),
      password: (value) => (!account && value === "" ? t("jobForm.required") : null),
    },
  });
  const save = useMutation({
    mutationFn: ({ username, password, ...rest }: typeof form.values) => {
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
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: ["users"] });
      onClose();
    },
    onError: (error) => form.setErrors(fieldErrors(error)),
  });

  return (
    <Dialog
      onClose={onClose}
      title={account ? t("users.editTitle", { name: account.username }) : t("users.add")}
      size="lg"
    >
      <form onSubmit={form.onSubmit((values) => save.mutate(values))}>
        <Stack>
          {save.error && (
            <Alert color="red" icon={<IconAlertCircle />} role="alert">
              {errorText(save.error)}
            </Alert>
          )}
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
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {t("action.cancel")}
            </Button>
            <Button type="submit" loading={save.isPending}>
              {t("action.save")}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}
