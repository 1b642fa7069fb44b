import { Badge } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { api, unwrap } from "../api/client";
import { queries } from "../api/queries";
import type { AlarmRule } from "../api/types";
import { Card } from "./card";
import { CardList } from "./card-list";
import { RuleModal } from "./rule-modal";

/** When an alarm is raised. */
export function RuleList() {
  const { t } = useTranslation();
  const rules = useQuery(queries.alarmRules());
  return (
    <CardList
      list={rules}
      addLabel={t("alarms.addRule")}
      empty={{ title: t("alarms.noRuleTitle"), text: t("alarms.noRuleText") }}
      renderCard={(rule) => <RuleCard key={rule.id} rule={rule} />}
      renderDialog={(close) => <RuleModal onClose={close} />}
    />
  );
}

function RuleCard({ rule }: { rule: AlarmRule }) {
  const { t } = useTranslation();
  const badges = (
    <>
      {rule.on.map((event) => (
        <Badge key={event} variant="default">
          {t(`alarms.event.${event}`)}
        </Badge>
      ))}
      {!rule.enabled && <Badge color="gray">{t("users.disabled")}</Badge>}
    </>
  );
  return (
    <Card
      name={rule.name}
      badges={badges}
      renderDialog={(close) => <RuleModal rule={rule} onClose={close} />}
      remove={() => unwrap(api.DELETE("/alarm-rules/{id}", { params: { path: { id: rule.id } } }))}
      queryKey={queries.alarmRules().queryKey}
    />
  );
}
