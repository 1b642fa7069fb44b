import { Button, Group, Skeleton, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { queries } from "../api/queries";
import type { Version } from "../api/types";
import { Dialog } from "../ui/dialog";
import { QueryError } from "../ui/query-error";
import { CodeDiff } from "./code-diff";
import type { CodeLanguage } from "./code-language";

interface Props {
  jobID: number;
  source: string;
  language: CodeLanguage;
  onTakeTheirs: (theirs: Version) => void;
  onKeepMine: (theirs: Version) => void;
  onClose: () => void;
}

/** Somebody else has published in between: shows the difference and lets one choose. */
export function ConflictModal({
  jobID,
  source,
  language,
  onTakeTheirs,
  onKeepMine,
  onClose,
}: Props) {
  const { t } = useTranslation();
  // The job as it is now, not as this page has known it.
  const job = useQuery({ ...queries.job(jobID), refetchOnMount: "always" });
  const number = job.isFetching ? 0 : (job.data?.glue_version ?? 0);
  const theirs = useQuery({ ...queries.version(jobID, number), enabled: number > 0 });
  const error = job.error ?? theirs.error;
  return (
    <Dialog onClose={onClose} title={t("glue.conflictTitle")} size="80%">
      <Stack>
        {error && <QueryError error={error} onRetry={() => void job.refetch()} />}
        {!error && !theirs.data && <Skeleton h={220} />}
        {theirs.data && (
          <>
            <Text size="sm">
              {t("glue.conflictText", {
                author: theirs.data.author,
                number: theirs.data.number,
                remark: theirs.data.remark,
              })}
            </Text>
            <CodeDiff
              before={theirs.data.source}
              after={source}
              beforeLabel={`v${theirs.data.number} · ${theirs.data.author}`}
              afterLabel={t("glue.yours")}
              language={language}
              height="50vh"
            />
            <Group justify="flex-end">
              <Button variant="default" onClick={onClose}>
                {t("glue.decideLater")}
              </Button>
              <Button variant="light" color="red" onClick={() => onTakeTheirs(theirs.data)}>
                {t("glue.takeTheirs", { number: theirs.data.number })}
              </Button>
              <Button onClick={() => onKeepMine(theirs.data)}>{t("glue.keepMine")}</Button>
            </Group>
          </>
        )}
      </Stack>
    </Dialog>
  );
}
