import { Button, Group, Skeleton, Stack } from "@mantine/core";
import { IconBell, IconPlus } from "@tabler/icons-react";
import type { UseQueryResult } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { Empty } from "../ui/empty";
import { QueryError } from "../ui/query-error";

interface Props<Item> {
  list: UseQueryResult<{ items: Item[] }>;
  addLabel: string;
  /** What is said while there is none. */
  empty: { title: string; text: string };
  renderCard: (item: Item) => ReactNode;
  renderDialog: (onClose: () => void) => ReactNode;
}

/** Cards below a button that adds one. */
export function CardList<Item>({ list, addLabel, empty, renderCard, renderDialog }: Props<Item>) {
  const [isAdding, setAdding] = useState(false);
  if (list.error) return <QueryError error={list.error} onRetry={() => void list.refetch()} />;
  if (!list.data) return <Skeleton h={120} />;
  const addButton = (
    <Button leftSection={<IconPlus size={16} />} onClick={() => setAdding(true)}>
      {addLabel}
    </Button>
  );
  return (
    <Stack>
      {list.data.items.length === 0 ? (
        <Empty {...empty} icon={<IconBell />} actions={addButton} />
      ) : (
        <Group>{addButton}</Group>
      )}
      {list.data.items.map(renderCard)}
      {isAdding && renderDialog(() => setAdding(false))}
    </Stack>
  );
}
