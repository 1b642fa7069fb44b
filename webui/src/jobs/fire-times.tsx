import { List, Skeleton, Stack, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { formatInstant, knownZone } from "../time/zone";
import { useZone } from "../ui/zone";

/** Future instants in the job's own zone; skeletons while they are unknown. */
export function FireTimes({ times, zone }: { times: string[] | undefined; zone: string }) {
  const { t } = useTranslation();
  const serverZone = useZone();
  const shownZone = zone ? knownZone(zone) : serverZone;
  if (!times) {
    return (
      <Stack gap={8}>
        {[0, 1, 2, 3, 4].map((row) => (
          <Skeleton key={row} h={14} w={170} />
        ))}
      </Stack>
    );
  }
  if (times.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        {t("schedule.never")}
      </Text>
    );
  }
  return (
    <>
      <List size="sm" type="ordered" spacing={2}>
        {times.map((time) => (
          <List.Item key={time} style={{ fontVariantNumeric: "tabular-nums" }}>
            {formatInstant(new Date(time), shownZone)}
          </List.Item>
        ))}
      </List>
      <Text size="xs" c="dimmed" mt={6}>
        {shownZone}
      </Text>
    </>
  );
}
