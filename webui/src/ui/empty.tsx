import { Center, Group, Stack, Text, ThemeIcon, Title } from "@mantine/core";
import type { ReactNode } from "react";

interface Props {
  icon: ReactNode;
  title: string;
  text: string;
  actions?: ReactNode;
}

/** What a list shows while it is empty: what would be here and how to get it. */
export function Empty({ icon, title, text, actions }: Props) {
  return (
    <Center py={48} px="md">
      <Stack align="center" gap="xs" maw={460}>
        <ThemeIcon size={48} radius="xl" variant="light">
          {icon}
        </ThemeIcon>
        <Title order={2} size="h4" ta="center">
          {title}
        </Title>
        <Text c="dimmed" size="sm" ta="center">
          {text}
        </Text>
        {actions && <Group mt="sm">{actions}</Group>}
      </Stack>
    </Center>
  );
}
