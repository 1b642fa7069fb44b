import { useTranslation } from "react-i18next";
import type { HistoryItem } from "../api/types";
import { stateColors } from "../runs/state";
import { sparkBars } from "./spark-bars";

const barWidth = 3; // px, and 1 between two
const height = 18; // px

/** The last runs as bars: as high as they took, in the colours of their ends. */
export function Sparkline({ items }: { items: HistoryItem[] }) {
  const { t } = useTranslation();
  if (items.length === 0) return null;
  const bars = sparkBars(items, height);
  const failures = items.filter(({ state }) => state !== "succeeded" && state !== "running").length;
  return (
    <svg
      width={bars.length * (barWidth + 1)}
      height={height}
      role="img"
      aria-label={t("jobs.history", { runs: items.length, failures })}
      style={{ display: "block", marginBottom: 2 }}
    >
      {bars.map((bar, index) => (
        <rect
          key={bar.runID}
          x={index * (barWidth + 1)}
          y={height - bar.height}
          width={barWidth}
          height={bar.height}
          rx={1}
          fill={`var(--mantine-color-${stateColors[bar.state]}-6)`}
        />
      ))}
    </svg>
  );
}
