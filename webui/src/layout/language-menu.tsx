import { ActionIcon, Menu } from "@mantine/core";
import { IconLanguage } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { switchLanguage } from "../i18n";
import { languages } from "../i18n/language";
import { LazyMenu } from "../ui/lazy-menu";

// A language is always named in itself, so that whoever is lost finds home.
export const languageNames = { "zh-CN": "简体中文", en: "English" } as const;

export function LanguageMenu() {
  const { t, i18n } = useTranslation();
  return (
    <LazyMenu
      position="bottom-end"
      target={
        <ActionIcon variant="subtle" color="gray" size="lg" aria-label={t("nav.language")}>
          <IconLanguage size={20} stroke={1.7} />
        </ActionIcon>
      }
    >
      {() =>
        languages.map((language) => (
          <Menu.Item
            key={language}
            lang={language}
            fw={i18n.language === language ? 700 : undefined}
            onClick={() => void switchLanguage(language)}
          >
            {languageNames[language]}
          </Menu.Item>
        ))
      }
    </LazyMenu>
  );
}
