import { Alert, Button, Checkbox, Group, Stack, Text } from "@mantine/core";
import { IconAlertCircle, IconCloudUpload } from "@tabler/icons-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { fieldErrors } from "../api/problem";
import type { Job, Manifest } from "../api/types";
import { Dialog } from "../ui/dialog";
import { useRight } from "../session/use-right";
import { useErrorText } from "../ui/error-text";
import { CodeDiff } from "./code-diff";
import type { CodeLanguage } from "./code-language";
import { ManifestDiff } from "./manifest-diff";
import { ModuleDiff } from "./module-diff";
import { RemarkInput } from "./remark-input";
import { isRemark } from "./remark";

/** What is live, or what is to become it. */
export interface Content {
  label: string;
  source: string;
  manifest: Manifest | undefined;
  /** Digest of an uploaded module. */
  artifact?: string | null;
}

/** What follows on a publish. */
export interface Next {
  /** A run, right away. */
  run: boolean;
  /** The schedule of the job, which is stopped. */
  start: boolean;
}

interface Props {
  job: Job;
  before: Content | undefined;
  after: Content;
  language: CodeLanguage;
  error: Error | null;
  pending: boolean;
  onPublish: (remark: string, next: Next) => void;
  onClose: () => void;
}

/** Shows what changes and asks why, before it goes live. */
export function PublishModal({ job, before, after, language, error, pending, ...on }: Props) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const [remark, setRemark] = useState(before ? "" : t("glue.remarkFirst"));
  const mayOperate = useRight("job.operate", job.group_id);
  const canStart = !job.enabled && job.schedule_type !== "NONE" && mayOperate;
  const [run, setRun] = useState(false);
  // Who publishes the first version wants the job to fire.
  const [start, setStart] = useState(before === undefined);
  const fields = fieldErrors(error);
  const hasText = before !== undefined && (before.source !== "" || after.source !== "");
  // A module that is compiled of the text is only made when it is published.
  const hasModules = before !== undefined && Boolean(after.artifact);
  return (
    <Dialog onClose={on.onClose} title={t("glue.publishTitle")} size={hasText || hasModules ? "80%" : "md"}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (isRemark(remark)) on.onPublish(remark.trim(), { run, start: start && canStart });
        }}
      >
        <Stack>
          {error && !fields.remark && (
            <Alert color="red" icon={<IconAlertCircle />} role="alert">
              {errorText(error)}
            </Alert>
          )}
          <RemarkInput value={remark} onChange={setRemark} error={fields.remark} />
          {before && <ManifestDiff before={before.manifest} after={after.manifest} />}
          {hasModules && (
            <ModuleDiff
              before={{ label: before.label, digest: before.artifact ?? undefined }}
              after={{ label: after.label, digest: after.artifact ?? undefined }}
            />
          )}
          {hasText && (
            <CodeDiff
              before={before.source}
              after={after.source}
              beforeLabel={before.label}
              afterLabel={after.label}
              language={language}
            />
          )}
          {!before && (
            <Text size="sm" c="dimmed">
              {t("glue.firstVersion")}
            </Text>
          )}
          <Group justify="space-between" align="end" wrap="nowrap">
            <Stack gap={6}>
              {canStart && (
                <Checkbox
                  label={t("glue.startAfter")}
                  checked={start}
                  onChange={(event) => setStart(event.currentTarget.checked)}
                />
              )}
              <Checkbox
                label={t("glue.runAfter")}
                checked={run}
                onChange={(event) => setRun(event.currentTarget.checked)}
              />
            </Stack>
            <Group wrap="nowrap">
              <Button variant="default" onClick={on.onClose}>
                {t("action.cancel")}
              </Button>
              <Button
                type="submit"
                loading={pending}
                disabled={!isRemark(remark)}
                leftSection={<IconCloudUpload size={16} />}
              >
                {t("glue.publish")}
              </Button>
            </Group>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}
