import type { MantineColor } from "@mantine/core";
import type { Cause, State } from "../api/types";

/** Every state in the order of a run's life. */
export const allStates = [
  "planned",
  "dispatching",
  "running",
  "unknown",
  "succeeded",
  "failed",
  "timed_out",
  "killed",
  "lost",
  "misfired",
  "discarded",
  "cancelled",
] as const satisfies readonly State[];

export const allCauses = [
  "schedule",
  "manual",
  "api",
  "retry",
  "parent",
  "misfire",
] as const satisfies readonly Cause[];

const open: readonly State[] = ["planned", "dispatching", "running", "unknown"];

/** Whether the run may still change. */
export function isOpen(state: State): boolean {
  return open.includes(state);
}

export const stateColors: Record<State, MantineColor> = {
  planned: "gray",
  dispatching: "indigo",
  running: "blue",
  unknown: "yellow",
  succeeded: "teal",
  failed: "red",
  timed_out: "orange",
  killed: "grape",
  lost: "pink",
  misfired: "yellow",
  discarded: "gray",
  cancelled: "gray",
};
