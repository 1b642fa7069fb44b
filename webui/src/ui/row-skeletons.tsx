import { Skeleton, Table } from "@mantine/core";

const rowCount = 8;

/** Rows of a table whose data is on its way. */
export function RowSkeletons({ columns }: { columns: number }) {
  const cells = [...Array(columns).keys()];
  return [...Array(rowCount).keys()].map((row) => (
    <Table.Tr key={row} aria-hidden="true">
      {cells.map((cell) => (
        <Table.Td key={cell}>
          <Skeleton h={14} my={5} w={`${55 + ((row * 7 + cell * 13) % 40)}%`} />
        </Table.Td>
      ))}
    </Table.Tr>
  ));
}
