import type { VersionInfo } from "../api/types";

/** Whether a version may have run: nobody had to approve it, or somebody has. */
export function mayRun({ review }: Pick<VersionInfo, "review">): boolean {
  return review === "none" || review === "approved";
}
