import { Button, Modal, Stack, Text } from "@mantine/core";
import { useWindowEvent } from "@mantine/hooks";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { queries } from "../api/queries";
import type { User } from "../api/types";
import { LoginForm } from "./login-form";
import { rememberLogin } from "./remember";
import { useSignal } from "./signal";
import { ProviderButton } from "./single-sign-on";
import { expired, replaced } from "./state";

/**
 * Asks for the password over the page when the session has ended, or when another tab has
 * logged somebody else in: the page keeps its state.
 */
export function ReloginModal({ user }: { user: User }) {
  const { t } = useTranslation();
  const isExpired = useSignal(expired);
  const isReplaced = useSignal(replaced);
  return (
    <Modal
      opened={isExpired}
      onClose={() => undefined}
      withCloseButton={false}
      closeOnEscape={false}
      closeOnClickOutside={false}
      title={t(isReplaced ? "login.replacedTitle" : "login.expiredTitle")}
      centered
      zIndex={1000}
    >
      <Relogin user={user} isReplaced={isReplaced} />
    </Modal>
  );
}

function Relogin({ user, isReplaced }: { user: User; isReplaced: boolean }) {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const [isAway, setAway] = useState(false); // at the provider, in another tab
  // That tab tells this one when it is done; here for when it could not.
  useWindowEvent("focus", () => {
    if (isAway) void returnOf(user.id);
  });
  return (
    <Stack>
      <Text size="sm">
        {t(isReplaced ? "login.replacedText" : "login.expiredText", { name: user.username })}
      </Text>
      <LoginForm
        username={user.username}
        onDone={(answer) => {
          queryClient.setQueryData(queries.me().queryKey, answer);
          rememberLogin(answer.id);
          replaced.set(false);
          expired.set(false);
        }}
      />
      <ProviderButton elsewhere onClick={() => setAway(true)} />
      <Button variant="subtle" size="compact-sm" onClick={() => location.reload()}>
        {t(isReplaced ? "login.goOnAsOther" : "login.asOther")}
      </Button>
    </Stack>
  );
}

/** Goes on when the session is there again, and is that person's. */
async function returnOf(userID: number): Promise<void> {
  try {
    // Not by the client, whose refused requests wait for the login.
    const response = await fetch("/api/v1/me");
    if (!response.ok) return;
    const { user } = (await response.json()) as { user: { id: number } };
    replaced.set(user.id !== userID);
    if (user.id === userID) expired.set(false);
  } catch {
    // The connection banner watches over that.
  }
}
