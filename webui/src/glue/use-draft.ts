import { useDebouncedCallback, useWindowEvent } from "@mantine/hooks";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { api, unwrap } from "../api/client";
import { queries } from "../api/queries";
import type { DraftInfo, Job, ServerDraft, User } from "../api/types";
import { cleanManifest } from "./manifest";
import { type Draft, DraftStore } from "./draft";

const localPause = 300; // ms without a key after which the draft is kept in the browser
const serverPause = 900; // ms without a key after which it is sent to the server

export interface DraftKeeper {
  /** What was kept when the editor opened. */
  begin: Draft | undefined;
  keep: (draft: Draft) => void;
  discard: () => void;
  /** When the server last took it. */
  savedAt: string | undefined;
  /** The server has not taken the last text; it is in this browser. */
  isLocal: boolean;
  /** Other people who have drafts of the job. */
  others: DraftInfo[];
  /** The same person's draft was changed in another window. */
  isElsewhere: boolean;
  /** The draft on the server counts as seen. */
  acknowledge: (savedAt: string) => void;
}

/** Keeps a draft as one types: in the browser at once, on the server a moment later. */
export function useDraft(job: Job, user: User, stored: ServerDraft | null): DraftKeeper {
  const queryClient = useQueryClient();
  const [store] = useState(() => new DraftStore(user.id, job.id));
  const [begin] = useState(() => store.load() ?? fromServer(stored));
  const [savedAt, setSavedAt] = useState(stored?.updated_at);
  const newest = useRef<Draft>(undefined);
  const path = { params: { path: { id: job.id } } };
  // One after the other: a late save must not bring back what was discarded.
  const scope = { id: `draft ${job.id}` };

  const put = useMutation({
    scope,
    mutationFn: (draft: Draft) =>
      unwrap(
        api.PUT("/jobs/{id}/draft", {
          ...path,
          body: {
            glue_type: job.glue_type,
            source: draft.source,
            manifest: cleanManifest(draft.manifest),
            base_version: draft.baseVersion,
          },
        }),
      ),
    onSuccess: (answer, draft) => {
      setSavedAt(answer.updated_at);
      if (newest.current === draft) store.clear();
      void queryClient.invalidateQueries({ queryKey: queries.drafts(job.id).queryKey });
    },
  });
  const remove = useMutation({
    scope,
    mutationFn: () => unwrap(api.DELETE("/jobs/{id}/draft", path)),
    onSuccess: () => {
      setSavedAt(undefined);
      void queryClient.invalidateQueries({ queryKey: queries.drafts(job.id).queryKey });
    },
  });
  const keepHere = useDebouncedCallback((draft: Draft) => void store.save(draft), {
    delay: localPause,
    flushOnUnmount: true,
  });
  const send = useDebouncedCallback((draft: Draft) => put.mutate(draft), {
    delay: serverPause,
    flushOnUnmount: true,
  });
  // A tab that is closed or lost does not unmount.
  useWindowEvent("pagehide", keepHere.flush);

  const drafts = useQuery(queries.drafts(job.id));
  const items = drafts.data?.items ?? [];
  const mine = items.find((item) => item.username === user.username);
  const isQuiet = !put.isPending && !remove.isPending && !drafts.isFetching;
  return {
    begin,
    keep: (draft) => {
      newest.current = draft;
      keepHere(draft);
      send(draft);
    },
    discard: () => {
      keepHere.cancel();
      send.cancel();
      newest.current = undefined;
      store.clear();
      if (savedAt !== undefined || put.isPending) remove.mutate();
    },
    savedAt,
    isLocal: put.isError,
    others: items.filter((item) => item.username !== user.username),
    isElsewhere: isQuiet && mine !== undefined && mine.updated_at !== savedAt,
    acknowledge: setSavedAt,
  };
}

function fromServer(stored: ServerDraft | null): Draft | undefined {
  if (!stored) return undefined;
  return {
    source: stored.source,
    manifest: stored.manifest,
    baseVersion: stored.base_version,
    savedAt: stored.updated_at,
  };
}
