import { Tabs, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { Group } from "../api/types";
import { Dialog } from "../ui/dialog";
import { ValueList } from "./value-list";

/** What the code of a group's jobs may read: secrets, which nobody sees again, and variables. */
export function SecretsModal({ group, onClose }: { group: Group; onClose: () => void }) {
  const { t } = useTranslation();
  return (
    <Dialog onClose={onClose} title={t("secrets.title", { name: group.title })} size="lg">
      <Tabs defaultValue="secrets" keepMounted={false}>
        <Tabs.List mb="sm">
          <Tabs.Tab value="secrets">{t("secrets.secrets")}</Tabs.Tab>
          <Tabs.Tab value="variables">{t("secrets.variables")}</Tabs.Tab>
        </Tabs.List>
        {(["secrets", "variables"] as const).map((kind) => (
          <Tabs.Panel key={kind} value={kind}>
            <Text size="sm" c="dimmed" mb="sm">
              {t(`secrets.text.${kind}`)}
            </Text>
            <ValueList groupID={group.id} kind={kind} />
          </Tabs.Panel>
        ))}
      </Tabs>
    </Dialog>
  );
}
