// Formats are kept: a page of a list needs dozens, and nearly always of one zone.
const formats = new Map<string, Intl.DateTimeFormat>();

/** The format of wall clocks in a zone; it throws when the browser does not know the zone. */
function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone);
  if (known) return known;
  const format = new Intl.DateTimeFormat("en-CA", {
    timeZone: zone,
    hourCycle: "h23",
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
  });
  formats.set(zone, format);
  return format;
}

/** The parts of an instant as a wall clock in a zone shows them. */
function wallParts(instant: Date, zone: string): Record<string, string> {
  const parts = formatOf(zone).formatToParts(instant);
  return Object.fromEntries(parts.map((part) => [part.type, part.value]));
}

/** An instant as "2026-01-15 10:20:30" in a zone, XXL-JOB's way of writing times. */
export function formatInstant(instant: Date, zone: string): string {
  // Before the first time is shown, the browser would read its tables of zones.
  if (zone === "UTC") return instant.toISOString().slice(0, 19).replace("T", " ");
  const wall = wallParts(instant, zone);
  return `${wall.year}-${wall.month}-${wall.day} ${wall.hour}:${wall.minute}:${wall.second}`;
}

/** An instant as the value of a datetime-local input in a zone. */
export function toInputValue(instant: Date, zone: string): string {
  return formatInstant(instant, zone).slice(0, 16).replace(" ", "T");
}

/**
 * The instant at which clocks in a zone show the value of a datetime-local input.
 * An hour that is skipped by daylight saving gives the instant as far after the gap.
 */
export function fromInputValue(value: string, zone: string): Date | undefined {
  const asUTC = new Date(`${value}Z`);
  if (Number.isNaN(asUTC.getTime())) return undefined;
  const offsetAt = (instant: Date) =>
    new Date(`${formatInstant(instant, zone).replace(" ", "T")}Z`).getTime() -
    Math.floor(instant.getTime() / 1000) * 1000;
  // The offset at the guess may be the one of the other side of a change: once more.
  const guess = new Date(asUTC.getTime() - offsetAt(asUTC));
  return new Date(asUTC.getTime() - offsetAt(guess));
}

const utc = /^(Etc\/)?(UTC|UCT|GMT|Universal|Zulu)$/;

/** A zone's name that this browser knows, or UTC; UTC for each of its names, too. */
export function knownZone(zone: string): string {
  if (utc.test(zone)) return "UTC";
  try {
    formatOf(zone);
    return zone;
  } catch {
    return "UTC";
  }
}
