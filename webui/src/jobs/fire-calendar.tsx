import { ActionIcon, Group, SimpleGrid, Text, Tooltip } from "@mantine/core";
import { IconChevronLeft, IconChevronRight } from "@tabler/icons-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { formatInstant } from "../time/zone";
import { countByDay, monthDays, monthOf, nextMonth } from "./calendar";
import { weekdays } from "./cron-spec";

const shownTimes = 12; // times of a day in its tooltip

/** Planned fires in a month: how many on each day, and when. */
export function FireCalendar({ times, zone }: { times: string[]; zone: string }) {
  const { t } = useTranslation();
  const local = times.map((time) => formatInstant(new Date(time), zone));
  const byDay = countByDay(local);
  const [month, setMonth] = useState(() => (local[0] ? monthOf(local[0]) : thisMonth(zone)));
  const most = Math.max(1, ...[...byDay.values()].map((list) => list.length));
  return (
    <div>
      <Group justify="space-between" mb={6}>
        <ActionIcon
          variant="subtle"
          aria-label={t("calendar.previous")}
          onClick={() => setMonth(nextMonth(month, -1))}
        >
          <IconChevronLeft size={16} />
        </ActionIcon>
        <Text fw={600}>{month}</Text>
        <ActionIcon
          variant="subtle"
          aria-label={t("calendar.next")}
          onClick={() => setMonth(nextMonth(month, 1))}
        >
          <IconChevronRight size={16} />
        </ActionIcon>
      </Group>
      <SimpleGrid cols={7} spacing={4} verticalSpacing={4}>
        {weekdays.map((weekday) => (
          <Text key={weekday} size="xs" c="dimmed" ta="center">
            {t(`weekday.${weekday}`)}
          </Text>
        ))}
        {monthDays(month).map((day, index) => {
          if (!day) return <span key={`blank ${index}`} />;
          const fires = byDay.get(day) ?? [];
          const label = fires
            .slice(0, shownTimes)
            .map((time) => time.slice(11))
            .join(" ");
          return (
            <Tooltip
              key={day}
              disabled={fires.length === 0}
              multiline
              maw={220}
              label={fires.length > shownTimes ? `${label} …` : label}
            >
              <div
                className="calendar-day"
                style={{
                  backgroundColor:
                    fires.length > 0
                      ? `color-mix(in srgb, light-dark(var(--mantine-color-cyan-6), var(--mantine-color-cyan-9)) ${15 + (45 * fires.length) / most}%, transparent)`
                      : undefined,
                }}
              >
                <Text size="xs">{Number(day.slice(8))}</Text>
                <Text size="xs" fw={700}>
                  {fires.length > 0 ? fires.length : "\u00a0"}
                </Text>
              </div>
            </Tooltip>
          );
        })}
      </SimpleGrid>
    </div>
  );
}

function thisMonth(zone: string): string {
  return monthOf(formatInstant(new Date(), zone));
}
