import {
  Alert,
  Button,
  Collapse,
  Group,
  SegmentedControl,
  Skeleton,
  Stack,
  Text,
} from "@mantine/core";
import { IconAlertCircle, IconArrowBackUp } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { queries } from "../api/queries";
import type { Job, Version } from "../api/types";
import { Dialog } from "../ui/dialog";
import { useErrorText } from "../ui/error-text";
import { Instant } from "../ui/instant";
import { QueryError } from "../ui/query-error";
import { CodeDiff } from "./code-diff";
import { ModuleFacts } from "./module-facts";
import { isRemark } from "./remark";
import { RemarkInput } from "./remark-input";
import { useRollback } from "./use-publish";

interface Props {
  job: Job;
  number: number;
  source?: string;
  onClose: () => void;
}

/** One version: its text, compared with others, and the way back to it. */
export function VersionModal({ job, number, source, onClose }: Props) {
  const { t } = useTranslation();
  const version = useQuery(queries.version(job.id, number));
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
          {version.data.artifact ? (
            <ModuleFacts digest={version.data.artifact} />
          ) : (
            <Comparison job={job} version={version.data} source={source} />
          )}
          {number !== job.glue_version && (
            <RollbackForm job={job} number={number} onDone={onClose} />
          )}
        </Stack>
      )}
    </Dialog>
  );
}

function Comparison({ job, version, source }: { job: Job; version: Version; source?: string }) {
  const { t } = useTranslation();
  const [against, setAgainst] = useState<"previous" | "live" | "editor">("previous");
  const otherNumber = against === "previous" ? version.number - 1 : job.glue_version;
  const other = useQuery({
    ...queries.version(job.id, otherNumber),
    enabled: against !== "editor" && otherNumber > 0,
  });
  const isFirst = otherNumber === 0;
  const otherSource = against === "editor" ? (source ?? "") : isFirst ? "" : other.data?.source;
  const otherLabel = against === "editor" ? t("glue.yours") : isFirst ? "∅" : `v${otherNumber}`;
  // What is older stands on the left.
  const isOtherOlder = against === "previous";
  const mine = { label: `v${version.number}`, source: version.source };
  const theirs = { label: otherLabel, source: otherSource ?? "" };
  const [before, after] = isOtherOlder ? [theirs, mine] : [mine, theirs];
  return (
    <Stack gap="xs">
      <SegmentedControl
        size="xs"
        style={{ alignSelf: "start" }}
        aria-label={t("glue.compareWith")}
        value={against}
        onChange={(value) => setAgainst(value as typeof against)}
        data={[
          { value: "previous", label: t("glue.withPrevious") },
          { value: "live", label: t("glue.withLive") },
          { value: "editor", label: t("glue.withEditor") },
        ]}
      />
      {other.error && <QueryError error={other.error} onRetry={() => void other.refetch()} />}
      {otherSource === undefined ? (
        !other.error && <Skeleton h={200} />
      ) : (
        <CodeDiff
          before={before.source}
          after={after.source}
          beforeLabel={before.label}
          afterLabel={after.label}
          glueType={job.glue_type}
          height="50vh"
        />
      )}
    </Stack>
  );
}

function RollbackForm({ job, number, onDone }: { job: Job; number: number; onDone: () => void }) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const rollback = useRollback(job);
  const [isOpen, setOpen] = useState(false);
  const [remark, setRemark] = useState(t("glue.rollbackRemark"));
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        rollback.mutate(
          { number, remark: remark.trim(), base_version: job.glue_version },
          { onSuccess: onDone },
        );
      }}
    >
      {rollback.error && (
        <Alert color="red" icon={<IconAlertCircle />} role="alert" mb="sm">
          {errorText(rollback.error)}
        </Alert>
      )}
      <Collapse expanded={isOpen}>
        {isOpen && <RemarkInput value={remark} onChange={setRemark} />}
      </Collapse>
      <Group justify="flex-end" mt="sm">
        {isOpen ? (
          // The keys keep the click that opens the form from submitting it.
          <Button
            key="submit"
            type="submit"
            loading={rollback.isPending}
            disabled={!isRemark(remark)}
            leftSection={<IconArrowBackUp size={16} />}
          >
            {t("glue.rollbackConfirm", { number })}
          </Button>
        ) : (
          <Button
            key="open"
            variant="light"
            leftSection={<IconArrowBackUp size={16} />}
            onClick={() => setOpen(true)}
          >
            {t("glue.rollback", { number })}
          </Button>
        )}
      </Group>
    </form>
  );
}
