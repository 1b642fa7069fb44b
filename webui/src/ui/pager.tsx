import { Button, Group, Text } from "@mantine/core";
import { IconChevronLeft, IconChevronRight } from "@tabler/icons-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";

interface Props {
  list: { total: number; total_capped: boolean; next_cursor?: string } | undefined;
  cursor: string | undefined;
  onCursor: (cursor: string | undefined) => void;
}

/** Pages through a list by cursor and remembers the way back. */
export function Pager({ list, cursor, onCursor }: Props) {
  const { t } = useTranslation();
  const [trail, setTrail] = useState<(string | undefined)[]>([]);
  if (!list || list.total === 0) return null;
  // Without a cursor this is the first page, whatever was walked before.
  const way = cursor === undefined ? [] : trail;

  return (
    <Group justify="space-between" mt="sm">
      <Text size="sm" c="dimmed">
        {t(list.total_capped ? "pager.totalCapped" : "pager.total", { total: list.total })}
      </Text>
      <Group gap="xs">
        <Button
          size="xs"
          variant="default"
          leftSection={<IconChevronLeft size={14} />}
          disabled={cursor === undefined}
          onClick={() => {
            setTrail(way.slice(0, -1));
            onCursor(way.at(-1));
          }}
        >
          {t("pager.previous")}
        </Button>
        <Button
          size="xs"
          variant="default"
          rightSection={<IconChevronRight size={14} />}
          disabled={!list.next_cursor}
          onClick={() => {
            setTrail([...way, cursor]);
            onCursor(list.next_cursor);
          }}
        >
          {t("pager.next")}
        </Button>
      </Group>
    </Group>
  );
}
