import { Modal, Stack, Text } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { queries } from "../api/queries";
import { LoginForm } from "./login-form";
import { useSignal } from "./signal";
import { expired } from "./state";

/** Asks for the password over the page when the session has ended: the page keeps its state. */
export function ReloginModal({ username }: { username: string }) {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  return (
    <Modal
      opened={useSignal(expired)}
      onClose={() => undefined}
      withCloseButton={false}
      closeOnEscape={false}
      closeOnClickOutside={false}
      title={t("login.expiredTitle")}
      centered
      zIndex={1000}
    >
      <Stack>
        <Text size="sm">{t("login.expiredText")}</Text>
        <LoginForm
          username={username}
          onDone={(user) => {
            queryClient.setQueryData(queries.me().queryKey, user);
            expired.set(false);
          }}
        />
      </Stack>
    </Modal>
  );
}
