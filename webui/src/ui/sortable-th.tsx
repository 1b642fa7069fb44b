import { Group, Table, UnstyledButton } from "@mantine/core";
import { IconArrowDown, IconArrowUp, IconSelector } from "@tabler/icons-react";

interface Props {
  label: string;
  /** By which the server sorts; absent when it cannot. */
  field: string | undefined;
  /** The order now: a field, with a minus in front when it goes down. */
  sort: string | undefined;
  onSort: (sort: string | undefined) => void;
}

/** The head of a column; a click sorts up, the next one down, the third not at all. */
export function SortableTh({ label, field, sort, onSort }: Props) {
  if (!field) return <Table.Th>{label}</Table.Th>;
  const isUp = sort === field;
  const isDown = sort === `-${field}`;
  const Icon = isUp ? IconArrowUp : isDown ? IconArrowDown : IconSelector;
  return (
    <Table.Th aria-sort={isUp ? "ascending" : isDown ? "descending" : "none"}>
      <UnstyledButton
        fz="inherit"
        fw="inherit"
        onClick={() => onSort(isUp ? `-${field}` : isDown ? undefined : field)}
      >
        <Group gap={4} wrap="nowrap">
          {label}
          <Icon size={14} />
        </Group>
      </UnstyledButton>
    </Table.Th>
  );
}
