/** The schedules that the builder can say; everything else is typed. */
export interface CronSpec {
  kind: "seconds" | "minutes" | "hours" | "daily" | "weekly" | "monthly";
  /** Of seconds, minutes and hours: how many lie between two fires. */
  every: number;
  hour: number;
  minute: number;
  /** Of weekly: Quartz's names. */
  weekdays: Weekday[];
  /** Of monthly: 1 to 31, or 0 for the last day. */
  day: number;
}

export const weekdays = ["MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN"] as const;
export type Weekday = (typeof weekdays)[number];

export const cronKinds = ["seconds", "minutes", "hours", "daily", "weekly", "monthly"] as const;

/** Steps that divide their field, so that the distance is the same all day. */
export const steps = {
  seconds: [5, 10, 15, 20, 30],
  minutes: [1, 2, 5, 10, 15, 20, 30],
  hours: [1, 2, 3, 4, 6, 8, 12],
} as const;

export const firstSpec: CronSpec = {
  kind: "daily",
  every: 5,
  hour: 2,
  minute: 0,
  weekdays: ["MON"],
  day: 1,
};

/** The Quartz expression of a spec. */
export function cronOf({ kind, every, hour, minute, weekdays: chosen, day }: CronSpec): string {
  switch (kind) {
    case "seconds":
      return `0/${every} * * * * ?`;
    case "minutes":
      return every === 1 ? "0 * * * * ?" : `0 0/${every} * * * ?`;
    case "hours":
      return every === 1 ? `0 ${minute} * * * ?` : `0 ${minute} 0/${every} * * ?`;
    case "daily":
      return `0 ${minute} ${hour} * * ?`;
    case "weekly": {
      const days = weekdays.filter((weekday) => chosen.includes(weekday));
      return `0 ${minute} ${hour} ? * ${days.join(",") || "MON"}`;
    }
    case "monthly":
      return `0 ${minute} ${hour} ${day === 0 ? "L" : day} * ?`;
  }
}
