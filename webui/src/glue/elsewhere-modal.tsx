import { Button, Group, Skeleton, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { queries } from "../api/queries";
import type { ServerDraft } from "../api/types";
import { Dialog } from "../ui/dialog";
import { QueryError } from "../ui/query-error";
import { CodeDiff } from "./code-diff";
import type { CodeLanguage } from "./code-language";

interface Props {
  jobID: number;
  username: string;
  source: string;
  language: CodeLanguage;
  onTakeOther: (other: ServerDraft) => void;
  onKeepMine: (other: ServerDraft) => void;
  onClose: () => void;
}

/** The same person types in two windows: shows what the other one has and lets one choose. */
export function ElsewhereModal({ jobID, username, source, language, ...on }: Props) {
  const { t } = useTranslation();
  const other = useQuery({ ...queries.draft(jobID, username), refetchOnMount: "always" });
  const draft = other.isFetching ? undefined : other.data;
  return (
    <Dialog onClose={on.onClose} title={t("glue.elsewhereTitle")} size="80%">
      <Stack>
        {other.error && <QueryError error={other.error} onRetry={() => void other.refetch()} />}
        {other.isFetching && <Skeleton h={220} />}
        {draft === null && <Text size="sm">{t("glue.elsewhereGone")}</Text>}
        {draft && (
          <>
            <CodeDiff
              before={draft.source}
              after={source}
              beforeLabel={t("glue.otherWindow")}
              afterLabel={t("glue.thisWindow")}
              language={language}
              height="50vh"
            />
            <Group justify="flex-end">
              <Button variant="light" color="red" onClick={() => on.onTakeOther(draft)}>
                {t("glue.takeOther")}
              </Button>
              <Button onClick={() => on.onKeepMine(draft)}>{t("glue.keepThis")}</Button>
            </Group>
          </>
        )}
      </Stack>
    </Dialog>
  );
}
