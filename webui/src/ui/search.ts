/** A search parameter of the address bar as text; anything else counts as absent. */
export function text(value: unknown): string | undefined {
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** A search parameter as a whole number above zero. */
export function id(value: unknown): number | undefined {
  const number = Number(value);
  return Number.isSafeInteger(number) && number > 0 ? number : undefined;
}

/** A search parameter as a yes or no. */
export function flag(value: unknown): boolean | undefined {
  if (value === true || value === "true") return true;
  if (value === false || value === "false") return false;
  return undefined;
}

// Browsers take nearly any text with a number in it for a date.
const isoInstant = /^\d{4}-\d\d-\d\dT\d\d:\d\d/;

/** A search parameter as an ISO instant. */
export function instant(value: unknown): string | undefined {
  if (typeof value !== "string" || !isoInstant.test(value)) return undefined;
  return Number.isNaN(Date.parse(value)) ? undefined : value;
}

/** A search parameter as one of the known words. */
export function word<T extends string>(value: unknown, known: readonly T[]): T | undefined {
  return known.find((candidate) => candidate === value);
}

/** A search parameter as a list of known words; one word may stand without a list. */
export function words<T extends string>(value: unknown, known: readonly T[]): T[] | undefined {
  const given: unknown[] = Array.isArray(value) ? value : [value];
  const chosen = known.filter((candidate) => given.includes(candidate));
  return chosen.length > 0 ? chosen : undefined;
}
