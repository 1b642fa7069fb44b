import { groupBy } from "../ui/group-by";
// Months and days are written as in "2026-01" and "2026-01-15".

/** The month of a local time such as "2026-01-15 10:20:30". */
export function monthOf(local: string): string {
  return local.slice(0, 7);
}

/** The month so many after another one. */
export function nextMonth(month: string, step: number): string {
  const [year = 0, number = 1] = month.split("-").map(Number);
  return new Date(Date.UTC(year, number - 1 + step, 1)).toISOString().slice(0, 7);
}

/** The days of a month from Monday on; undefined stands for those before its first. */
export function monthDays(month: string): (string | undefined)[] {
  const first = new Date(`${month}-01T00:00:00Z`);
  const blanks = (first.getUTCDay() + 6) % 7;
  const length = new Date(
    Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + 1, 0),
  ).getUTCDate();
  const days = [...Array(length).keys()].map(
    (index) => `${month}-${String(index + 1).padStart(2, "0")}`,
  );
  return [...Array<undefined>(blanks), ...days];
}

/** Local times by their day. */
export function countByDay(locals: string[]): Map<string, string[]> {
  return groupBy(locals, (local) => local.slice(0, 10));
}
