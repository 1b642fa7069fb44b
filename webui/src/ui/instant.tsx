import { Text } from "@mantine/core";
import { formatInstant } from "../time/zone";
import { useZone } from "./zone";

interface Props {
  at?: string | null;
  size?: string;
  /** Date and time of day may stand in two lines. */
  wrap?: boolean;
}

/**
 * An instant in the server's zone; the title has the milliseconds and the zone. Not a
 * Tooltip: lists show dozens of instants, and each would mount one.
 */
export function Instant({ at, size = "sm", wrap = false }: Props) {
  const zone = useZone();
  if (!at) {
    return (
      <Text span c="dimmed" size={size}>
        –
      </Text>
    );
  }
  const instant = new Date(at);
  const ms = String(instant.getUTCMilliseconds()).padStart(3, "0");
  const shown = formatInstant(instant, zone);
  return (
    <Text
      span
      size={size}
      className={wrap ? undefined : "nowrap"}
      style={{ fontVariantNumeric: "tabular-nums" }}
    >
      <time dateTime={at} title={`${shown}.${ms} ${zone}`}>
        {shown}
      </time>
    </Text>
  );
}
