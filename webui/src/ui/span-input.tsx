import { Group } from "@mantine/core";
import { InstantInput } from "./instant-input";

interface Span {
  from?: string;
  to?: string;
}

interface Props {
  span: Span;
  /** What the two ends are called. */
  from: string;
  to: string;
  onChange: (change: Span) => void;
}

/** The time that a list is about; either end may be open. */
export function SpanInput({ span, from, to, onChange }: Props) {
  const end = (name: "from" | "to", label: string) => (
    <InstantInput
      aria-label={label}
      w={200}
      value={span[name]}
      onChange={(at) => onChange({ [name]: at ?? undefined })}
    />
  );
  return (
    <Group gap="xs" wrap="nowrap">
      {end("from", from)}–{end("to", to)}
    </Group>
  );
}
