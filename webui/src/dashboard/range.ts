/** Stretches of time of the dashboard, with the width of their bars. */
export const ranges = ["1h", "24h", "7d", "30d"] as const;
export type Range = (typeof ranges)[number];
export type Step = "minute" | "hour" | "day";

/** A stretch of time and the width of its bars. */
export interface Span {
  from: string;
  to: string;
  step: Step;
}

const minute = 60_000; // ms
const hour = 60 * minute;
const day = 24 * hour;

export const stepLength = { minute, hour, day } as const; // ms

const rangeOf: Record<Range, { length: number; step: Step }> = {
  "1h": { length: hour, step: "minute" },
  "24h": { length: day, step: "hour" },
  "7d": { length: 7 * day, step: "hour" },
  "30d": { length: 30 * day, step: "day" },
};

/** A range that ends now; its ends move with the minute, so that answers are kept. */
export function spanOf(range: Range, now: Date): Span {
  const to = Math.ceil(now.getTime() / minute) * minute;
  const { length, step } = rangeOf[range];
  return { from: floor(to - length, step), to: new Date(to).toISOString(), step };
}

const minutesKept = 2 * day; // the server counts by the minute for so long
const mostMinutes = 6 * hour; // more bars of a minute would be too thin
const mostHours = 14 * day;

/** A chosen stretch, in the finest bars that are known of it and still can be seen. */
export function chosenSpan(from: string, to: string, now: Date): Span {
  const length = Date.parse(to) - Date.parse(from);
  const age = now.getTime() - Date.parse(from);
  const step =
    length <= mostMinutes && age < minutesKept ? "minute" : length <= mostHours ? "hour" : "day";
  return { from: floor(Date.parse(from), step), to, step };
}

/** What the address asks for: a chosen stretch, else a range that ends now. */
export function shownSpan(search: { range?: Range; from?: string; to?: string }, now: Date): Span {
  return search.from !== undefined && search.to !== undefined
    ? chosenSpan(search.from, search.to, now)
    : spanOf(search.range ?? "24h", now);
}

/** The beginning of the step in which an instant lies. */
function floor(instant: number, step: Step): string {
  const width = stepLength[step];
  return new Date(Math.floor(instant / width) * width).toISOString();
}
