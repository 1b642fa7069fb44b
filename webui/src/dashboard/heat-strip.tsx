import { Group, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { formatInstant } from "../time/zone";
import { useZone } from "../ui/zone";

interface Minute {
  at: string;
  count: number;
}

/** What fires in the next hour: a field a minute, the darker the more. */
export function HeatStrip({ minutes }: { minutes: Minute[] }) {
  const { t } = useTranslation();
  const zone = useZone();
  const most = Math.max(1, ...minutes.map((minute) => minute.count));
  const total = minutes.reduce((sum, minute) => sum + minute.count, 0);
  const clock = (at: string | undefined) => at && formatInstant(new Date(at), zone).slice(11, 16);
  return (
    <div>
      <div className="heat" role="img" aria-label={t("dashboard.upcomingSum", { fires: total })}>
        {minutes.map(({ at, count }) => (
          <span
            key={at}
            title={`${clock(at)} · ${count}`}
            style={{
              backgroundColor:
                count === 0
                  ? "var(--mantine-color-default-hover)"
                  : `color-mix(in srgb, var(--mantine-color-cyan-6) ${20 + (80 * count) / most}%, transparent)`,
            }}
          />
        ))}
      </div>
      <Group justify="space-between" mt={4}>
        <Text size="xs" c="dimmed">
          {clock(minutes[0]?.at)}
        </Text>
        <Text size="xs" c="dimmed">
          {t("dashboard.upcomingSum", { fires: total })}
        </Text>
        <Text size="xs" c="dimmed">
          {clock(minutes.at(-1)?.at)}
        </Text>
      </Group>
    </div>
  );
}
