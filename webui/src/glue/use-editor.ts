import { useState } from "react";
import type { Job, Manifest, ServerDraft, User, Version } from "../api/types";
import type { Draft } from "./draft";
import { sameManifest } from "./manifest";
import { type DraftKeeper, useDraft } from "./use-draft";

interface Text {
  source: string;
  manifest: Manifest;
  /** Number of the version that the text was made from; 0 = none. */
  base: number;
  /** Somebody has typed since it was that version's. */
  isEdited: boolean;
  /** When the draft was kept with which the editor began; absent when it began with the live text. */
  restoredAt: string | undefined;
}

/** What of a version is edited. */
type Content = Pick<Version, "number" | "source" | "manifest">;

export interface EditorText extends Text {
  /** Differs from what is live. */
  isDirty: boolean;
  draft: DraftKeeper;
  edit: (change: { source?: string; manifest?: Manifest }) => void;
  /** Continues from a version: with its text, or with what is in the editor. */
  rebase: (version: Content, keepMine: boolean) => void;
  /** Goes on with a draft from another window. */
  adopt: (stored: ServerDraft) => void;
}

/**
 * The code in the editor, kept as a draft until it is published. A job without a version
 * begins with the text first.
 */
export function useEditor(
  job: Job,
  user: User,
  live: Version | undefined,
  stored: ServerDraft | null,
  first: string,
): EditorText {
  const draft = useDraft(job, user, stored);
  const [text, setText] = useState(() => begin(draft.begin, live, first));
  // Who has not edited sees what is live, whoever published it.
  if (live && live.number > text.base && !text.isEdited) setText(contentOf(live));

  return {
    ...text,
    draft,
    isDirty: text.source !== (live?.source ?? "") || !sameManifest(text.manifest, live?.manifest),
    edit: (change) => {
      const next = { ...text, ...change, isEdited: true };
      // The editor reports text that it was given, too.
      if (next.source === text.source && sameManifest(next.manifest, text.manifest)) return;
      setText((old) => ({ ...old, ...change, isEdited: true }));
      draft.keep(toDraft(next));
    },
    rebase: (version, keepMine) => {
      const next = keepMine
        ? { ...text, base: version.number, isEdited: true, restoredAt: undefined }
        : contentOf(version);
      if (keepMine) draft.keep(toDraft(next));
      else draft.discard();
      setText(next);
    },
    adopt: (other) => {
      draft.acknowledge(other.updated_at);
      setText({
        source: other.source,
        manifest: other.manifest,
        base: other.base_version,
        isEdited: true,
        restoredAt: undefined,
      });
    },
  };
}

function contentOf({ number, source, manifest }: Content): Text {
  return { source, manifest, base: number, isEdited: false, restoredAt: undefined };
}

function toDraft({ source, manifest, base }: Text): Draft {
  return { source, manifest, baseVersion: base, savedAt: new Date().toISOString() };
}

function begin(draft: Draft | undefined, live: Version | undefined, template: string): Text {
  const content = contentOf(live ?? { number: 0, source: "", manifest: {} });
  // An uploaded module has no source either.
  content.source ||= template;
  if (!draft) return content;
  if (draft.source === content.source && sameManifest(draft.manifest, content.manifest)) {
    return content;
  }
  return {
    source: draft.source,
    manifest: draft.manifest,
    base: draft.baseVersion,
    isEdited: true,
    restoredAt: draft.savedAt,
  };
}
