import { useInfiniteQuery } from "@tanstack/react-query";
import { useEffect, useMemo, useState } from "react";
import { api, unwrap } from "../api/client";
import { type LogBuffer, type LogChunk, matchingLines } from "./log-buffer";

const noChunks: LogChunk[] = [];
const mostMatches = 10_000; // lines; who gets more looks for something else

/**
 * Finds the lines of a log with a text in them, and walks through them. What the page
 * does not hold is searched by the server.
 */
export function useLogSearch(runID: number, query: string, log: LogBuffer | undefined) {
  const isWhole = log !== undefined && log.isAtEnd && log.firstLine === 1;
  const chunks = isWhole ? log.chunks : noChunks;
  const held = useMemo(() => matchingLines(chunks, query), [chunks, query]);
  const all = useServerSearch(runID, query, query !== "" && log !== undefined && !isWhole);
  const lines = isWhole ? held : all.lines;
  const [place, setPlace] = useState({ query, at: 0 });
  const at = place.query === query ? place.at : 0;
  return {
    at,
    found: lines.length,
    isSearching: !isWhole && all.isSearching,
    /** Goes so many matches on, and gives the line of that one. */
    go: (step: number): number | undefined => {
      if (lines.length === 0) return undefined;
      const next = at === 0 && step < 0 ? lines.length : wrap(at + step, lines.length);
      setPlace({ query, at: next });
      return lines[next - 1];
    },
  };
}

/** Keeps a place, counted from 1, within so many. */
function wrap(at: number, count: number): number {
  return ((at - 1 + count) % count) + 1;
}

function useServerSearch(runID: number, query: string, isEnabled: boolean) {
  const { data, isFetching, hasNextPage, fetchNextPage, isError } = useInfiniteQuery({
    queryKey: ["run", runID, "log-matches", query],
    queryFn: ({ pageParam, signal }) => {
      const params = { path: { id: runID }, query: { q: query, from_line: pageParam } };
      return unwrap(api.GET("/runs/{id}/log/matches", { params, signal }));
    },
    initialPageParam: 1,
    getNextPageParam: (last, pages) =>
      last.end || countLines(pages) >= mostMatches ? undefined : last.next_line,
    enabled: isEnabled,
    refetchOnWindowFocus: false,
    staleTime: Infinity,
    gcTime: 0,
  });
  // One answer covers what the server searches in two seconds.
  useEffect(() => {
    if (isEnabled && hasNextPage && !isFetching && !isError) void fetchNextPage();
  }, [isEnabled, hasNextPage, isFetching, isError, fetchNextPage]);
  const lines = useMemo(() => data?.pages.flatMap((page) => page.lines) ?? [], [data]);
  return { lines, isSearching: isEnabled && (isFetching || hasNextPage) };
}

function countLines(pages: { lines: number[] }[]): number {
  return pages.reduce((sum, { lines }) => sum + lines.length, 0);
}
