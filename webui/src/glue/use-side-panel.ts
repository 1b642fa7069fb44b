import { useNavigate, useSearch } from "@tanstack/react-router";
import type { SideTab } from "./side-tabs";

/** What the side panel shows, as the address says. */
export function useSidePanel() {
  const { tab = "test", version } = useSearch({ from: "/jobs/$jobID/glue" });
  const navigate = useNavigate({ from: "/jobs/$jobID/glue" });
  return {
    tab,
    setTab: (next: SideTab) => void navigate({ search: { tab: next }, replace: true }),
    /** Number of the version that is looked at. */
    version,
    showVersion: (number: number | undefined) =>
      void navigate({ search: { tab: "versions", version: number }, replace: true }),
  };
}
