/** A length of time in ms for people: "340 ms", "2.51 s", "3 m 20 s", "1 h 05 m", "2 d 3 h". */
export function formatDuration(ms: number): string {
  const sign = ms < 0 ? "−" : "";
  const length = Math.abs(ms);
  if (length < 1000) return `${sign}${Math.round(length)} ms`;
  if (length < 60_000) return `${sign}${(length / 1000).toFixed(2)} s`;
  const seconds = Math.floor(length / 1000);
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${sign}${minutes} m ${pad(seconds % 60)} s`;
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return `${sign}${hours} h ${pad(minutes % 60)} m`;
  return `${sign}${Math.floor(hours / 24)} d ${hours % 24} h`;
}

function pad(value: number): string {
  return String(value).padStart(2, "0");
}

/** Milliseconds between two instants; undefined while one of them is open. */
export function between(from?: string | null, to?: string | null): number | undefined {
  if (!from || !to) return undefined;
  return Date.parse(to) - Date.parse(from);
}
