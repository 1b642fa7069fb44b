import { Box, Group, Text, Tooltip } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { formatInstant } from "../time/zone";
import { useZone } from "../ui/instant";
import { type Bar, kindColors, kinds } from "./bars";

const height = 160; // px

interface Props {
  bars: Bar[];
  /** Width of a bar in ms. */
  step: number;
}

/** Ended runs over time, stacked by their ends; a bar leads to its runs. */
export function RunChart({ bars, step }: Props) {
  const { t } = useTranslation();
  const zone = useZone();
  const navigate = useNavigate();
  const most = Math.max(1, ...bars.map((bar) => bar.total));
  const open = (bar: Bar) =>
    void navigate({
      to: "/runs",
      search: { from: bar.at, to: new Date(Date.parse(bar.at) + step).toISOString() },
    });
  return (
    <Box>
      <div className="chart" style={{ height }}>
        {bars.map((bar) => (
          <Tooltip key={bar.at} label={<BarFacts bar={bar} zone={zone} />} openDelay={80}>
            <button
              type="button"
              className="chart-bar"
              disabled={bar.total === 0}
              aria-label={t("dashboard.bar", {
                at: formatInstant(new Date(bar.at), zone),
                runs: bar.total,
              })}
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
          </Tooltip>
        ))}
      </div>
      <Group justify="space-between" mt={4}>
        {[bars[0], bars.at(-1)].map((bar) => (
          <Text key={bar?.at} size="xs" c="dimmed">
            {bar && formatInstant(new Date(bar.at), zone).slice(5, 16)}
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

function BarFacts({ bar, zone }: { bar: Bar; zone: string }) {
  const { t } = useTranslation();
  return (
    <>
      <div>{formatInstant(new Date(bar.at), zone).slice(0, 16)}</div>
      {kinds
        .filter((kind) => bar.counts[kind] > 0)
        .map((kind) => (
          <div key={kind}>
            {t(`dashboard.kind.${kind}`)}: {bar.counts[kind]}
          </div>
        ))}
    </>
  );
}
