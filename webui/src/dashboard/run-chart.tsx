import { Box, Group, Text } from "@mantine/core";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { formatInstant } from "../time/zone";
import { useZone } from "../ui/zone";
import { type Bar, kindColors, kinds, labelled } from "./bars";
import { useSelection } from "./use-selection";

const height = 160; // px
const labels = 5; // times under the bars

interface Props {
  bars: Bar[];
  /** Width of a bar in ms. */
  step: number;
  /** A stretch of time was chosen. */
  onSelect: (from: string, to: string) => void;
}

/** Ended runs over time, stacked by their ends; a bar leads to its runs, several are a new range. */
export function RunChart({ bars, step, onSelect }: Props) {
  const { t } = useTranslation();
  const zone = useZone();
  const navigate = useNavigate();
  const { group_id } = useSearch({ from: "/" });
  const most = Math.max(1, ...bars.map((bar) => bar.total));
  const endOf = (bar: Bar) => new Date(Date.parse(bar.at) + step).toISOString();
  const { selection, area } = useSelection(bars.length, ({ first, last }) => {
    const [from, to] = [bars[first], bars[last]];
    if (from && to) onSelect(from.at, endOf(to));
  });
  const open = (bar: Bar) =>
    void navigate({ to: "/runs", search: { from: bar.at, to: endOf(bar), group_id } });
  const facts = (bar: Bar) =>
    [
      formatInstant(new Date(bar.at), zone).slice(0, 16),
      ...kinds
        .filter((kind) => bar.counts[kind] > 0)
        .map((kind) => `${t(`dashboard.kind.${kind}`)}: ${bar.counts[kind]}`),
    ].join("\n");
  return (
    <Box>
      <Group justify="space-between" mb={4}>
        <Text size="xs" c="dimmed">
          {t("dashboard.mostRuns", { runs: most })}
        </Text>
        <Text size="xs" c="dimmed" visibleFrom="sm">
          {t("dashboard.selectHint")}
        </Text>
      </Group>
      <div className="chart" style={{ height }} role="group" aria-label={t("dashboard.runs")} {...area}>
        {bars.map((bar, index) => (
          <button
            key={bar.at}
            type="button"
            className="chart-bar"
            data-selected={
              (selection && selection.first <= index && index <= selection.last) || undefined
            }
            disabled={bar.total === 0}
            aria-label={t("dashboard.bar", {
              at: formatInstant(new Date(bar.at), zone),
              runs: bar.total,
            })}
            title={facts(bar)}
            onClick={() => open(bar)}
          >
            {kinds.toReversed().map((kind) => (
              <span
                key={kind}
                style={{
                  height: `${(bar.counts[kind] / most) * 100}%`,
                  backgroundColor: `var(--mantine-color-${kindColors[kind]}-6)`,
                }}
              />
            ))}
          </button>
        ))}
      </div>
      <Group justify="space-between" mt={4}>
        {labelled(bars.length, labels).map((place, index) => (
          <Text key={place} size="xs" c="dimmed" visibleFrom={index % 2 === 1 ? "sm" : undefined}>
            {formatInstant(new Date(bars[place]?.at ?? 0), zone).slice(5, 16)}
          </Text>
        ))}
      </Group>
      <Group gap="md" mt={4}>
        {kinds.map((kind) => (
          <Group key={kind} gap={5}>
            <span
              className="legend"
              style={{ backgroundColor: `var(--mantine-color-${kindColors[kind]}-6)` }}
            />
            <Text size="xs">{t(`dashboard.kind.${kind}`)}</Text>
          </Group>
        ))}
      </Group>
    </Box>
  );
}
