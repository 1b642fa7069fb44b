import { Group, Text, Title } from "@mantine/core";
import type { ReactNode } from "react";
import { useTitle } from "./use-title";

interface Props {
  title: string;
  text?: string;
  badge?: ReactNode;
  actions?: ReactNode;
}

/** Title line of a page, which also names the browser's tab. */
export function PageHead({ title, text, badge, actions }: Props) {
  useTitle(title);
  return (
    <Group justify="space-between" align="flex-start" mb="md" gap="sm">
      <div>
        <Group gap="sm">
          <Title order={1} size="h3">
            {title}
          </Title>
          {badge}
        </Group>
        {text && (
          <Text c="dimmed" size="sm">
            {text}
          </Text>
        )}
      </div>
      <Group gap="xs">{actions}</Group>
    </Group>
  );
}
