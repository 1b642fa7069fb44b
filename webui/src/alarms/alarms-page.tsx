import { Tabs } from "@mantine/core";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { PageHead } from "../ui/page-head";
import { word } from "../ui/search";
import { AlarmHistory } from "./alarm-history";
import { ChannelList } from "./channel-list";
import { RuleList } from "./rule-list";
import { alarmTabs } from "./choices";

/** What is told to whom when something goes wrong, and what was. */
export function AlarmsPage() {
  const { t } = useTranslation();
  const { tab = "rules" } = useSearch({ from: "/alarms" });
  const navigate = useNavigate({ from: "/alarms" });
  return (
    <>
      <PageHead title={t("nav.alarms")} text={t("alarms.text")} />
      <Tabs
        value={tab}
        keepMounted={false}
        onChange={(value) => void navigate({ search: { tab: word(value, alarmTabs) } })}
      >
        <Tabs.List mb="md">
          {alarmTabs.map((value) => (
            <Tabs.Tab key={value} value={value}>
              {t(`alarms.tab.${value}`)}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value="rules">
          <RuleList />
        </Tabs.Panel>
        <Tabs.Panel value="channels">
          <ChannelList />
        </Tabs.Panel>
        <Tabs.Panel value="history">
          <AlarmHistory />
        </Tabs.Panel>
      </Tabs>
    </>
  );
}
