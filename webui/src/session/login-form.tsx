import { Alert, Button, PasswordInput, Stack, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { IconAlertCircle } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { api, unwrap } from "../api/client";
import { toUser } from "../api/queries";
import { ApiError } from "../api/problem";
import type { User } from "../api/types";
import { useErrorText } from "../ui/error-text";

interface Props {
  /** Who was logged in before; only the password is asked then. */
  username?: string;
  onDone: (user: User) => void;
}

/** Asks for name and password; a refusal keeps what was typed. */
export function LoginForm({ username, onDone }: Props) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const form = useForm({
    mode: "uncontrolled",
    initialValues: { username: username ?? "", password: "" },
    validate: {
      username: (value) => (value.trim() === "" ? t("login.usernameMissing") : null),
      password: (value) => (value === "" ? t("login.passwordMissing") : null),
    },
  });
  const login = useMutation({
    mutationFn: (body: { username: string; password: string }) =>
      unwrap(api.POST("/login", { body })),
    onSuccess: (me) => onDone(toUser(me)),
  });
  const isWrong = login.error instanceof ApiError && login.error.status === 401;

  return (
    <form onSubmit={form.onSubmit((values) => login.mutate(values))}>
      <Stack>
        {login.error && (
          <Alert color="red" icon={<IconAlertCircle />} role="alert">
            {isWrong ? t("login.wrong") : errorText(login.error)}
          </Alert>
        )}
        <TextInput
          label={t("login.username")}
          autoComplete="username"
          readOnly={username !== undefined}
          data-autofocus={username === undefined || undefined}
          key={form.key("username")}
          {...form.getInputProps("username")}
        />
        <PasswordInput
          label={t("login.password")}
          autoComplete="current-password"
          data-autofocus={username !== undefined || undefined}
          key={form.key("password")}
          {...form.getInputProps("password")}
        />
        <Button type="submit" loading={login.isPending} fullWidth>
          {t("login.submit")}
        </Button>
      </Stack>
    </form>
  );
}
