import { ActionIcon, Button, Group, Select, Stack, Text } from "@mantine/core";
import { IconPlus, IconTrash } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import type { Grant } from "../api/types";
import { GroupSelect } from "../ui/group-select";
import { word } from "../ui/search";
import { groupRoles } from "./roles";

interface Props {
  grants: Grant[];
  onChange: (grants: Grant[]) => void;
}

/** A role in each of some groups. */
export function GrantFields({ grants, onChange }: Props) {
  const { t } = useTranslation();
  const set = (index: number, change: Partial<Grant>) =>
    onChange(grants.map((grant, i) => (i === index ? { ...grant, ...change } : grant)));
  return (
    <Stack gap="xs" role="group" aria-label={t("users.grants")}>
      <Text size="sm" fw={500}>
        {t("users.grants")}
      </Text>
      {grants.map((grant, index) => (
        // A grant has no name of its own until its group is chosen.
        // oxlint-disable-next-line react/no-array-index-key
        <Group key={index} gap="xs" wrap="nowrap">
          <GroupSelect
            flex={1}
            aria-label={t("job.group_id")}
            placeholder={t("job.group_id")}
            allowDeselect={false}
            value={grant.group_id || undefined}
            onChange={(groupID) => set(index, { group_id: groupID ?? 0 })}
          />
          <Select
            flex={1}
            aria-label={t("users.role")}
            allowDeselect={false}
            data={groupRoles.map((value) => ({ value, label: t(`role.${value}`) }))}
            value={grant.role}
            onChange={(role) => set(index, { role: word(role, groupRoles) ?? "viewer" })}
          />
          <ActionIcon
            variant="subtle"
            color="red"
            aria-label={t("users.removeGrant")}
            onClick={() => onChange(grants.filter((_, i) => i !== index))}
          >
            <IconTrash size={16} />
          </ActionIcon>
        </Group>
      ))}
      <Button
        size="compact-sm"
        variant="light"
        style={{ alignSelf: "start" }}
        leftSection={<IconPlus size={15} />}
        onClick={() => onChange([...grants, { group_id: 0, role: "viewer" }])}
      >
        {t("users.addGrant")}
      </Button>
    </Stack>
  );
}
