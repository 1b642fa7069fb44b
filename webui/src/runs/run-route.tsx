import { List, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { Run } from "../api/types";

/** Why the run went to its executor and to no other; nothing while none is chosen. */
export function RunRoute({ run }: { run: Run }) {
  const { t } = useTranslation();
  const { route } = run;
  if (!route) return null;
  const { code, strategy, candidates, place, uses, given, passed_over, passed_over_total } = route;
  const more = passed_over_total - passed_over.length;
  return (
    <>
      <Text size="xs" c="dimmed">
        {code !== "only" && `${t(`route.${strategy}`)}: `}
        {t(`routed.${code}`, {
          candidates,
          place,
          uses,
          shard: run.shard + 1,
          shards: run.shard_total,
        })}
        {given && ` ${t("routed.given")}`}
      </Text>
      {passed_over.length > 0 && (
        <List size="xs" c="dimmed" aria-label={t("routed.passedOver")}>
          {passed_over.map(({ address, answer }) => (
            <List.Item key={address}>
              {address}: {answer}
            </List.Item>
          ))}
          {more > 0 && <List.Item>{t("routed.more", { more })}</List.Item>}
        </List>
      )}
    </>
  );
}
