import { Button, PasswordInput, Stack } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { api, unwrap } from "../api/client";
import { fieldErrors } from "../api/problem";
import { ErrorAlert } from "../ui/error-alert";
import { useNotify } from "../ui/notify";

/** Changes one's own password. */
export function PasswordForm() {
  const { t } = useTranslation();
  const notify = useNotify();
  const queryClient = useQueryClient();
  const form = useForm({
    initialValues: { old_password: "", new_password: "", again: "" },
    validate: {
      old_password: (value) => (value === "" ? t("login.passwordMissing") : null),
      new_password: (value) => (value === "" ? t("login.passwordMissing") : null),
      again: (value, all) => (value === all.new_password ? null : t("settings.notTheSame")),
    },
  });
  const change = useMutation({
    mutationFn: ({ old_password, new_password }: typeof form.values) =>
      unwrap(api.POST("/me/password", { body: { old_password, new_password } })),
    onSuccess: async () => {
      form.reset();
      notify.done(t("settings.passwordChanged"));
      await queryClient.invalidateQueries({ queryKey: ["sessions"] });
    },
    onError: (error) => form.setErrors(fieldErrors(error)),
  });
  return (
    <form onSubmit={form.onSubmit((values) => change.mutate(values))}>
      <Stack maw={360}>
        <ErrorAlert error={change.error} />
        <PasswordInput
          label={t("settings.oldPassword")}
          autoComplete="current-password"
          {...form.getInputProps("old_password")}
        />
        <PasswordInput
          label={t("settings.newPassword")}
          autoComplete="new-password"
          {...form.getInputProps("new_password")}
        />
        <PasswordInput
          label={t("settings.newPasswordAgain")}
          autoComplete="new-password"
          {...form.getInputProps("again")}
        />
        <Button type="submit" loading={change.isPending} style={{ alignSelf: "start" }}>
          {t("settings.changePassword")}
        </Button>
      </Stack>
    </form>
  );
}
