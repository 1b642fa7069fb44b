import type { HistoryItem } from "../api/types";

export interface SparkBar {
  runID: number;
  state: HistoryItem["state"];
  height: number;
}

const minHeight = 3; // px, so that the shortest run can be seen

/** Bars from the oldest run to the newest; the longest run is as high as the room. */
export function sparkBars(items: HistoryItem[], room: number): SparkBar[] {
  const longest = Math.max(1, ...items.map((item) => item.duration_ms ?? 0));
  return items
    .toSorted((a, b) => Date.parse(a.fire_at) - Date.parse(b.fire_at) || a.run_id - b.run_id)
    .map((item) => ({
      runID: item.run_id,
      state: item.state,
      // The root keeps one slow run from flattening the others.
      height: Math.max(minHeight, Math.sqrt((item.duration_ms ?? 0) / longest) * room),
    }));
}
