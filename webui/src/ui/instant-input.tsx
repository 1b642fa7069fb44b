import { TextInput, type TextInputProps } from "@mantine/core";
import { fromInputValue, knownZone, toInputValue } from "../time/zone";
import { useZone } from "./zone";

interface Props extends Omit<TextInputProps, "value" | "onChange" | "defaultValue"> {
  value?: string | null;
  /** IANA name; empty for the server's. */
  zone?: string;
  onChange?: (at: string | null) => void;
}

/** An instant as a date and a time of day in a zone. */
export function InstantInput({ value, zone, onChange, ...rest }: Props) {
  const serverZone = useZone();
  const shownZone = zone ? knownZone(zone) : serverZone;
  return (
    <TextInput
      {...rest}
      type="datetime-local"
      title={shownZone}
      value={value ? toInputValue(new Date(value), shownZone) : ""}
      onChange={(event) =>
        onChange?.(fromInputValue(event.currentTarget.value, shownZone)?.toISOString() ?? null)
      }
    />
  );
}
