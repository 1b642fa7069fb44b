import { Alert, Button, Group, Select, Skeleton, Stack, Text } from "@mantine/core";
import { IconAlertCircle, IconArrowBackUp } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { queries } from "../api/queries";
import type { Job, Version } from "../api/types";
import { Dialog } from "../ui/dialog";
import { useRight } from "../session/use-right";
import { useErrorText } from "../ui/error-text";
import { Instant } from "../ui/instant";
import { QueryError } from "../ui/query-error";
import { CodeDiff } from "./code-diff";
import { codeLanguage } from "./code-language";
import { ManifestDiff } from "./manifest-diff";
import { ModuleDiff } from "./module-diff";
import { ModuleFacts } from "./module-facts";
import { ReviewPanel } from "./review-panel";
import { mayRun } from "./may-run";
import { useRollback } from "./use-publish";

interface Props {
  job: Job;
  number: number;
  source?: string;
  onClose: () => void;
}

/** One version: what it holds, compared with any other, and the way back to it. */
export function VersionModal({ job, number, source, onClose }: Props) {
  const { t } = useTranslation();
  const version = useQuery(queries.version(job.id, number));
  const versions = useQuery(queries.versions(job.id));
  const info = versions.data?.items.find((item) => item.number === number);
  return (
    <Dialog onClose={onClose} title={t("glue.versionTitle", { number })} size="80%">
      {version.error && <QueryError error={version.error} onRetry={() => void version.refetch()} />}
      {version.isPending && <Skeleton h={260} />}
      {version.data && (
        <Stack>
          <Text size="sm">
            {version.data.remark}
            <Text span c="dimmed" size="sm">
              {" "}
              · {version.data.author} · <Instant at={version.data.created_at} />
            </Text>
          </Text>
          {version.data.artifact && <ModuleFacts digest={version.data.artifact} />}
          <Comparison job={job} version={version.data} source={source} />
          {info && <ReviewPanel job={job} version={info} onDone={onClose} />}
          {info && mayRun(info) && number !== job.glue_version && (
            <RollbackButton job={job} number={number} onDone={onClose} />
          )}
        </Stack>
      )}
    </Dialog>
  );
}

const editor = "editor";

interface Compared {
  label: string;
  /** Absent while it is fetched. */
  source?: string;
  artifact?: string | null;
}

const moduleOf = ({ label, artifact }: Compared) => ({ label, digest: artifact ?? undefined });

function Comparison({ job, version, source }: { job: Job; version: Version; source?: string }) {
  const { t } = useTranslation();
  const versions = useQuery(queries.versions(job.id));
  const [against, setAgainst] = useState(String(version.base_version));
  const otherNumber = against === editor ? 0 : Number(against);
  const other = useQuery({
    ...queries.version(job.id, otherNumber),
    enabled: otherNumber > 0,
  });
  const choices = [
    ...(source === undefined ? [] : [{ value: editor, label: t("glue.withEditor") }]),
    ...(versions.data?.items ?? [])
      .filter(({ number }) => number !== version.number)
      .map(({ number, remark }) => ({
        value: String(number),
        label: `v${number}${number === job.glue_version ? ` (${t("glue.live")})` : ""} · ${remark}`,
      })),
    { value: "0", label: t("glue.withNothing") },
  ];

  const mine: Compared = { ...version, label: `v${version.number}` };
  const theirs: Compared =
    against === editor
      ? { label: t("glue.yours"), source }
      : otherNumber === 0
        ? { label: "∅", source: "" }
        : { ...other.data, label: `v${otherNumber}` };
  // What is older stands on the left.
  const isOtherOlder = against !== editor && otherNumber < version.number;
  // An uploaded module has no text.
  const hasText = version.source !== "" || !version.artifact;
  const [before, after] = isOtherOlder ? [theirs, mine] : [mine, theirs];
  return (
    <Stack gap="xs">
      <Select
        size="xs"
        w={360}
        label={t("glue.compareWith")}
        searchable
        allowDeselect={false}
        data={choices}
        value={against}
        onChange={(value) => setAgainst(value ?? "0")}
      />
      {other.error && <QueryError error={other.error} onRetry={() => void other.refetch()} />}
      {other.data && (
        <ManifestDiff
          before={isOtherOlder ? other.data.manifest : version.manifest}
          after={isOtherOlder ? version.manifest : other.data.manifest}
        />
      )}
      {theirs.source === undefined && !other.error && <Skeleton h={200} />}
      {theirs.source !== undefined && against !== editor && (mine.artifact || theirs.artifact) && (
        <ModuleDiff before={moduleOf(before)} after={moduleOf(after)} />
      )}
      {theirs.source !== undefined && (theirs.source !== "" || hasText) && (
        <CodeDiff
          before={before.source ?? ""}
          after={after.source ?? ""}
          beforeLabel={before.label}
          afterLabel={after.label}
          language={codeLanguage(job.glue_type, version.source)}
          height="50vh"
        />
      )}
    </Stack>
  );
}

interface RollbackProps {
  job: Job;
  number: number;
  onDone: () => void;
}

function RollbackButton({ job, number, onDone }: RollbackProps) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const rollback = useRollback(job);
  const mayPublish = useRight("glue.publish", job.group_id);
  if (!mayPublish) return null;
  return (
    <>
      {rollback.error && (
        <Alert color="red" icon={<IconAlertCircle />} role="alert">
          {errorText(rollback.error)}
        </Alert>
      )}
      <Group justify="flex-end">
        <Button
          variant="light"
          leftSection={<IconArrowBackUp size={16} />}
          loading={rollback.isPending}
          onClick={() =>
            rollback.mutate(
              {
                number,
                remark: t("glue.rollbackRemark", { number }),
                base_version: job.glue_version,
              },
              { onSuccess: onDone },
            )
          }
        >
          {t("glue.rollback", { number })}
        </Button>
      </Group>
    </>
  );
}
