import { Paper, SegmentedControl, Stack, Text, Title, useMantineColorScheme } from "@mantine/core";
import { type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { switchLanguage } from "../i18n";
import { chooseLanguage, languages } from "../i18n/language";
import { languageNames } from "../layout/language-menu";
import { PageHead } from "../ui/page-head";
import { PasswordForm } from "./password-form";
import { SessionList } from "./session-list";

/** What everybody sets for themselves: password, sessions, language, colours. */
export function SettingsPage() {
  const { t, i18n } = useTranslation();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <>
      <PageHead title={t("nav.settings")} />
      <Stack maw={760}>
        <Section title={t("settings.look")}>
          <Text size="sm" mb={4}>
            {t("nav.language")}
          </Text>
          <SegmentedControl
            mb="md"
            aria-label={t("nav.language")}
            value={chooseLanguage(i18n.language, [])}
            data={languages.map((value) => ({ value, label: languageNames[value] }))}
            onChange={(value) => void switchLanguage(chooseLanguage(value, []))}
          />
          <Text size="sm" mb={4}>
            {t("settings.colors")}
          </Text>
          <SegmentedControl
            aria-label={t("settings.colors")}
            value={colorScheme}
            data={(["auto", "light", "dark"] as const).map((value) => ({
              value,
              label: t(`settings.scheme.${value}`),
            }))}
            onChange={(value) => setColorScheme(value as typeof colorScheme)}
          />
        </Section>
        <Section title={t("settings.password")}>
          <PasswordForm />
        </Section>
        <Section title={t("settings.sessions")}>
          <SessionList />
        </Section>
      </Stack>
    </>
  );
}

function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Paper withBorder p="md" component="section" aria-label={title}>
      <Title order={2} size="h5" mb="sm">
        {title}
      </Title>
      {children}
    </Paper>
  );
}
