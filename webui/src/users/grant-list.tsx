import { Badge, Group, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { queries } from "../api/queries";
import type { Grant } from "../api/types";

/** Roles in groups, by the groups' titles. */
export function GrantList({ grants }: { grants: Grant[] }) {
  const { t } = useTranslation();
  const groups = useQuery(queries.groups());
  if (grants.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        –
      </Text>
    );
  }
  return (
    <Group gap={4}>
      {grants.map(({ group_id, role }) => (
        <Badge key={group_id} variant="default" size="sm">
          {groups.data?.items.find((group) => group.id === group_id)?.title ?? group_id}:{" "}
          {t(`role.${role}`)}
        </Badge>
      ))}
    </Group>
  );
}
