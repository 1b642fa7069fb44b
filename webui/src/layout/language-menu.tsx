import { ActionIcon, Menu } from "@mantine/core";
import { IconLanguage } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { switchLanguage } from "../i18n";
import { languages } from "../i18n/language";

// A language is always named in itself, so that whoever is lost finds home.
export const languageNames = { "zh-CN": "简体中文", en: "English" } as const;

export function LanguageMenu() {
  const { t, i18n } = useTranslation();
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" size="lg" aria-label={t("nav.language")}>
          <IconLanguage size={20} stroke={1.7} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {languages.map((language) => (
          <Menu.Item
            key={language}
            lang={language}
            fw={i18n.language === language ? 700 : undefined}
            onClick={() => void switchLanguage(language)}
          >
            {languageNames[language]}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
