import { useQuery } from "@tanstack/react-query";
import { createContext, type ReactNode, useContext } from "react";
import { queries } from "../api/queries";
import { knownZone } from "../time/zone";

const ZoneContext = createContext("UTC");

/** Tells its children the server's zone; one for all, since lists show dozens of times. */
export function ZoneProvider({ children }: { children: ReactNode }) {
  const system = useQuery(queries.system());
  return (
    <ZoneContext value={knownZone(system.data?.time_zone ?? "UTC")}>{children}</ZoneContext>
  );
}

/** The zone in which all times are shown: the server's. */
export function useZone(): string {
  return useContext(ZoneContext);
}
