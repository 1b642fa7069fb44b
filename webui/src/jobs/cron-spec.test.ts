import { expect, it } from "vitest";
import { type CronSpec, cronOf, firstSpec } from "./cron-spec";

it.each<[Partial<CronSpec>, string]>([
  [{ kind: "seconds", every: 10 }, "0/10 * * * * ?"],
  [{ kind: "minutes", every: 1 }, "0 * * * * ?"],
  [{ kind: "minutes", every: 15 }, "0 0/15 * * * ?"],
  [{ kind: "hours", every: 1, minute: 20 }, "0 20 * * * ?"],
  [{ kind: "hours", every: 6, minute: 0 }, "0 0 0/6 * * ?"],
  [{ kind: "daily", hour: 3, minute: 30 }, "0 30 3 * * ?"],
  [{ kind: "weekly", weekdays: ["FRI", "MON"] }, "0 0 2 ? * MON,FRI"],
  [{ kind: "weekly", weekdays: [] }, "0 0 2 ? * MON"],
  [{ kind: "monthly", day: 15 }, "0 0 2 15 * ?"],
  [{ kind: "monthly", day: 0 }, "0 0 2 L * ?"],
])("says %j as %s", (change, expression) => {
  expect(cronOf({ ...firstSpec, ...change })).toBe(expression);
});
