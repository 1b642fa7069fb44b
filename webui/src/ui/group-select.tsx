import { Select, type SelectProps } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { queries } from "../api/queries";

interface Props extends Omit<SelectProps, "value" | "onChange" | "data"> {
  value: number | undefined;
  onChange: (groupID: number | undefined) => void;
}

/** Chooses an executor group by its title. */
export function GroupSelect({ value, onChange, ...rest }: Props) {
  const groups = useQuery(queries.groups());
  const data = (groups.data?.items ?? []).map((group) => ({
    value: String(group.id),
    label: group.title,
  }));
  return (
    <Select
      searchable
      {...rest}
      data={data}
      value={value === undefined ? null : String(value)}
      onChange={(chosen) => onChange(chosen === null ? undefined : Number(chosen))}
    />
  );
}
