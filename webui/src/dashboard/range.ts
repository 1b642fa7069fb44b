/** Stretches of time of the dashboard, with the width of their bars. */
export const ranges = ["1h", "24h", "7d", "30d"] as const;
export type Range = (typeof ranges)[number];

const hour = 3_600_000; // ms

export const rangeOf: Record<Range, { length: number; step: "minute" | "hour" | "day" }> = {
  "1h": { length: hour, step: "minute" },
  "24h": { length: 24 * hour, step: "hour" },
  "7d": { length: 7 * 24 * hour, step: "hour" },
  "30d": { length: 30 * 24 * hour, step: "day" },
};

export const stepLength = { minute: 60_000, hour, day: 24 * hour } as const; // ms

/** From and to of a range that ends now; they move with the minute, so that answers are kept. */
export function spanOf(range: Range, now: Date): { from: string; to: string } {
  const minute = stepLength.minute;
  const to = Math.ceil(now.getTime() / minute) * minute;
  const { length, step } = rangeOf[range];
  const width = stepLength[step];
  const from = Math.floor((to - length) / width) * width;
  return { from: new Date(from).toISOString(), to: new Date(to).toISOString() };
}
