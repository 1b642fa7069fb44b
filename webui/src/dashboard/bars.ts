import type { RunCount } from "../api/types";

/** Ends of runs from the bottom of a bar to its top. */
export const kinds = ["succeeded", "failed", "timed_out", "killed", "lost", "other"] as const;
export type Kind = (typeof kinds)[number];

export const kindColors: Record<Kind, string> = {
  succeeded: "teal",
  failed: "red",
  timed_out: "orange",
  killed: "grape",
  lost: "pink",
  other: "gray",
};

export interface Bar {
  at: string;
  total: number;
  counts: Record<Kind, number>;
}

/** One bar a step, also where nothing ran. */
export function barsOf(items: RunCount[], from: string, to: string, step: number): Bar[] {
  const byTime = new Map(items.map((item) => [Date.parse(item.at), item]));
  const bars: Bar[] = [];
  for (let time = Date.parse(from); time < Date.parse(to); time += step) {
    const item = byTime.get(time);
    const counts = Object.fromEntries(kinds.map((kind) => [kind, item?.[kind] ?? 0])) as Record<
      Kind,
      number
    >;
    const total = kinds.reduce((sum, kind) => sum + counts[kind], 0);
    bars.push({ at: new Date(time).toISOString(), total, counts });
  }
  return bars;
}

/** The places of about so many labels under the bars, the first and the last with one. */
export function labelled(bars: number, labels: number): number[] {
  if (bars < 2) return bars === 1 ? [0] : [];
  const count = Math.min(labels, bars);
  return Array.from({ length: count }, (_, place) => Math.round((place * (bars - 1)) / (count - 1)));
}
