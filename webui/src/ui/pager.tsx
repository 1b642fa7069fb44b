import { Button, Group, Text } from "@mantine/core";
import { IconChevronLeft, IconChevronRight, IconChevronsLeft } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";

interface Props {
  list: { total: number; total_capped: boolean; next_cursor?: string } | undefined;
  cursor: string | undefined;
  onCursor: (cursor: string | undefined) => void;
}

/** Where the tab keeps which page came before another, also over a reload. */
const wayBack = (cursor: string) => `page:${location.pathname}:${cursor}`;
const firstPage = ""; // in place of its cursor

/**
 * Pages through a list by cursor and remembers the way back. Who comes by a link to a page
 * in the middle has none, and is led to the first.
 */
export function Pager({ list, cursor, onCursor }: Props) {
  const { t } = useTranslation();
  if (!list || list.total === 0) return null;
  const before = cursor === undefined ? null : sessionStorage.getItem(wayBack(cursor));
  const isLost = cursor !== undefined && before === null;

  return (
    <Group justify="space-between" mt="sm">
      <Text size="sm" c="dimmed">
        {t(list.total_capped ? "pager.totalCapped" : "pager.total", { total: list.total })}
      </Text>
      <Group gap="xs">
        <Button
          size="xs"
          variant="default"
          leftSection={isLost ? <IconChevronsLeft size={14} /> : <IconChevronLeft size={14} />}
          disabled={cursor === undefined}
          onClick={() => onCursor(before || undefined)}
        >
          {t(isLost ? "pages.first" : "pager.previous")}
        </Button>
        <Button
          size="xs"
          variant="default"
          rightSection={<IconChevronRight size={14} />}
          disabled={!list.next_cursor}
          onClick={() => {
            if (!list.next_cursor) return;
            sessionStorage.setItem(wayBack(list.next_cursor), cursor ?? firstPage);
            onCursor(list.next_cursor);
          }}
        >
          {t("pager.next")}
        </Button>
      </Group>
    </Group>
  );
}
