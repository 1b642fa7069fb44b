import { Button, Chip, Group, NumberInput, Popover, Select, Stack } from "@mantine/core";
import { IconWand } from "@tabler/icons-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { word, words } from "../ui/search";
import { cronKinds, cronOf, type CronSpec, firstSpec, steps, weekdays } from "./cron-spec";

/** Makes a cron expression of choices; each of them shows at once in the preview. */
export function CronBuilder({ onChange }: { onChange: (expression: string) => void }) {
  const { t } = useTranslation();
  const [spec, setSpec] = useState(firstSpec);
  const change = (part: Partial<CronSpec>) => {
    const next = { ...spec, ...part };
    setSpec(next);
    onChange(cronOf(next));
  };
  const number = (field: "hour" | "minute" | "day", min: number, max: number) => ({
    label: t(`cron.${field}`),
    w: 90,
    min,
    max,
    allowDecimal: false,
    value: spec[field],
    onChange: (value: string | number) => change({ [field]: Number(value) }),
  });
  const { kind } = spec;
  const hasStep = kind === "seconds" || kind === "minutes" || kind === "hours";
  return (
    <Popover width={380} position="bottom-start" withArrow trapFocus>
      <Popover.Target>
        <Button
          size="compact-xs"
          variant="light"
          leftSection={<IconWand size={14} />}
          onClick={() => onChange(cronOf(spec))}
        >
          {t("cron.builder")}
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <Stack gap="sm">
          <Select
            label={t("cron.kind")}
            allowDeselect={false}
            comboboxProps={{ withinPortal: false }}
            data={cronKinds.map((value) => ({ value, label: t(`cron.${value}`) }))}
            value={kind}
            onChange={(value) => {
              const chosen = word(value, cronKinds) ?? "daily";
              change({ kind: chosen, every: chosen === "hours" ? 1 : 5 });
            }}
          />
          <Group align="end" gap="xs">
            {hasStep && (
              <Select
                label={t("cron.every")}
                w={120}
                allowDeselect={false}
                comboboxProps={{ withinPortal: false }}
                data={steps[kind].map(String)}
                value={String(spec.every)}
                onChange={(value) => change({ every: Number(value) })}
              />
            )}
            {kind === "monthly" && (
              <NumberInput {...number("day", 0, 31)} description={t("cron.lastDay")} w={150} />
            )}
            {(kind === "daily" || kind === "weekly" || kind === "monthly") && (
              <NumberInput {...number("hour", 0, 23)} />
            )}
            {kind !== "seconds" && kind !== "minutes" && <NumberInput {...number("minute", 0, 59)} />}
          </Group>
          {kind === "weekly" && (
            <Chip.Group
              multiple
              value={spec.weekdays}
              onChange={(chosen) => change({ weekdays: words(chosen, weekdays) ?? [] })}
            >
              <Group gap={4}>
                {weekdays.map((weekday) => (
                  <Chip key={weekday} value={weekday} size="xs">
                    {t(`weekday.${weekday}`)}
                  </Chip>
                ))}
              </Group>
            </Chip.Group>
          )}
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}
