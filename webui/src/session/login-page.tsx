import { Center, Group, Paper, Stack, Text, Title } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { User } from "../api/types";
import { LanguageMenu } from "../layout/language-menu";
import { Logo } from "../layout/logo";
import { ConnectionBanner } from "./connection-banner";
import { LoginForm } from "./login-form";
import { SingleSignOn } from "./single-sign-on";

/** Stands in place of the asked page until someone is logged in; the address stays. */
export function LoginPage({ onDone }: { onDone: (user: User) => void }) {
  const { t } = useTranslation();
  return (
    <Center
      component="main"
      mih="100vh"
      p="md"
      bg="light-dark(var(--mantine-color-gray-0), var(--mantine-color-dark-8))"
    >
      <Stack w={360} maw="100%">
        <ConnectionBanner />
        <Paper withBorder shadow="sm" p="xl">
          <Stack>
            <Group justify="space-between">
              <Logo />
              <LanguageMenu />
            </Group>
            <div>
              <Title order={1} size="h3">
                {t("login.title")}
              </Title>
              <Text c="dimmed" size="sm">
                {t("login.subtitle")}
              </Text>
            </div>
            <LoginForm onDone={onDone} />
            <SingleSignOn />
          </Stack>
        </Paper>
      </Stack>
    </Center>
  );
}
