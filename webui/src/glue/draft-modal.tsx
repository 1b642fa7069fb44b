import { Button, Group, Skeleton, Stack, Text } from "@mantine/core";
import type { UseQueryResult } from "@tanstack/react-query";
import type { Manifest, ServerDraft } from "../api/types";
import { Dialog } from "../ui/dialog";
import { QueryError } from "../ui/query-error";
import { CodeDiff } from "./code-diff";
import type { CodeLanguage } from "./code-language";
import { ManifestDiff } from "./manifest-diff";

interface Props {
  title: string;
  /** The other draft; null when there is none any more. */
  other: UseQueryResult<ServerDraft | null>;
  otherLabel: string;
  /** Said when the other draft is gone. */
  gone: string;
  mine: { source: string; manifest: Manifest };
  mineLabel: string;
  language: CodeLanguage;
  takeLabel: string;
  onTake: (other: ServerDraft) => void;
  keepLabel: string;
  onKeep: (other: ServerDraft) => void;
  onClose: () => void;
}

/** Another draft of the same job beside what is in the editor. */
export function DraftModal({ title, other, gone, mine, language, ...rest }: Props) {
  const draft = other.isFetching ? undefined : other.data;
  return (
    <Dialog onClose={rest.onClose} title={title} size="80%">
      <Stack>
        {other.error && <QueryError error={other.error} onRetry={() => void other.refetch()} />}
        {other.isFetching && <Skeleton h={220} />}
        {draft === null && <Text size="sm">{gone}</Text>}
        {draft && (
          <>
            <CodeDiff
              before={draft.source}
              after={mine.source}
              beforeLabel={rest.otherLabel}
              afterLabel={rest.mineLabel}
              language={language}
              height="50vh"
            />
            <ManifestDiff before={draft.manifest} after={mine.manifest} />
            <Group justify="flex-end">
              <Button variant="light" color="red" onClick={() => rest.onTake(draft)}>
                {rest.takeLabel}
              </Button>
              <Button onClick={() => rest.onKeep(draft)}>{rest.keepLabel}</Button>
            </Group>
          </>
        )}
      </Stack>
    </Dialog>
  );
}
