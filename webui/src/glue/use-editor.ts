import { useDebouncedCallback, useWindowEvent } from "@mantine/hooks";
import { useState } from "react";
import type { Version } from "../api/types";
import { type Draft, DraftStore } from "./draft";
import { templateFor } from "./templates";

const draftPause = 400; // ms without a key after which the draft is kept

interface Text {
  source: string;
  /** Number of the version that the text was made from; 0 = none. */
  base: number;
  /** Somebody has typed since it was that version's. */
  isEdited: boolean;
  /** When the draft was kept with which the editor began; absent when it began with the live text. */
  restoredAt: string | undefined;
}

export interface EditorText extends Text {
  /** Differs from what is live. */
  isDirty: boolean;
  edit: (source: string) => void;
  /** Continues from a version: with its text, or with what is in the editor. */
  rebase: (version: { number: number; source: string }, source: string) => void;
}

/** The text in the editor, kept as a draft in the browser until it is published. */
export function useEditor(
  userID: number,
  jobID: number,
  glueType: string,
  live: Version | undefined,
): EditorText {
  const [drafts] = useState(() => new DraftStore(userID, jobID));
  const [text, setText] = useState(() => begin(drafts.load(), live, templateFor(glueType)));
  // Who has not edited sees what is live, whoever published it.
  if (live && live.number > text.base && !text.isEdited) {
    setText({ source: live.source, base: live.number, isEdited: false, restoredAt: undefined });
  }
  const keep = useDebouncedCallback(
    (source: string, base: number) => void drafts.save(source, base, new Date()),
    { delay: draftPause, flushOnUnmount: true },
  );
  // A tab that is closed or lost does not unmount.
  useWindowEvent("pagehide", keep.flush);

  return {
    ...text,
    isDirty: text.source !== (live?.source ?? ""),
    edit: (source) => {
      // The editor reports text that it was given, too.
      if (source === text.source) return;
      setText((old) => ({ ...old, source, isEdited: true }));
      keep(source, text.base);
    },
    rebase: (version, source) => {
      keep.cancel();
      const isEdited = source !== version.source;
      if (isEdited) drafts.save(source, version.number, new Date());
      else drafts.clear();
      setText({ source, base: version.number, isEdited, restoredAt: undefined });
    },
  };
}

function begin(draft: Draft | undefined, live: Version | undefined, template: string): Text {
  const source = live?.source ?? template;
  if (draft && draft.source !== source) {
    return {
      source: draft.source,
      base: draft.baseVersion,
      isEdited: true,
      restoredAt: draft.savedAt,
    };
  }
  return { source, base: live?.number ?? 0, isEdited: false, restoredAt: undefined };
}
