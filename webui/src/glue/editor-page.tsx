import { Alert, Anchor, Badge, Button, Group, Kbd, Paper, Text } from "@mantine/core";
import { useHotkeys } from "@mantine/hooks";
import { IconCloudUpload, IconPlayerPlay } from "@tabler/icons-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Job, Version } from "../api/types";
import { glueTitles } from "../jobs/choices";
import { useTriggerJob } from "../jobs/mutations";
import { LatestRun } from "../runs/latest-run";
import { Instant } from "../ui/instant";
import { AnchorLink } from "../ui/links";
import { PageHead } from "../ui/page-head";
import { CodeEditor } from "./code-editor";
import { type CodeError, codeErrors, isVersionConflict } from "./code-error";
import { ConflictModal } from "./conflict-modal";
import classes from "./glue.module.css";
import { PublishModal } from "./publish-modal";
import { useEditor } from "./use-editor";
import { usePublish } from "./use-publish";
import { VersionsPanel } from "./versions-panel";

const noErrors: CodeError[] = [];

interface Props {
  job: Job;
  userID: number;
  /** The version that runs now; absent while none was published. */
  live: Version | undefined;
}

/** XXL-JOB's GLUE IDE: the editor, the versions beside it, the log below. */
export function EditorPage({ job, userID, live }: Props) {
  const { t } = useTranslation();
  const editor = useEditor(userID, job.id, job.glue_type, live);
  const publish = usePublish(job);
  const trigger = useTriggerJob(job.id);
  const [dialog, setDialog] = useState<"publish" | "publishAndRun" | "conflict">();
  const [errors, setErrors] = useState(noErrors);
  const [runID, setRunID] = useState<number>();

  const liveNumber = live?.number ?? 0;
  const isStale = editor.base !== liveNumber;
  const run = () => trigger.mutate({}, { onSuccess: ({ run_id }) => setRunID(run_id) });
  const openPublish = (withRun: boolean) => {
    publish.reset();
    setDialog(isStale ? "conflict" : withRun ? "publishAndRun" : "publish");
  };
  const onRun = () => (editor.isDirty || !live ? openPublish(true) : run());
  const onShortcut = () => editor.isDirty && openPublish(false);
  // The editor has these keys, too; here they work beside it.
  useHotkeys([
    ["mod+S", onShortcut],
    ["mod+Enter", onRun],
  ]);
  const onPublish = (remark: string, runAfter: boolean) =>
    publish.mutate(
      { source: editor.source, remark, base_version: editor.base, manifest: live?.manifest },
      {
        onSuccess: (version) => {
          setErrors(noErrors);
          setDialog(undefined);
          editor.rebase(version, version.source);
          if (runAfter) run();
        },
        onError: (error) => {
          const found = codeErrors(error);
          if (found.length > 0) {
            // The places are marked in the editor; the dialog would hide them.
            setErrors(found);
            setDialog(undefined);
          } else if (isVersionConflict(error)) {
            setDialog("conflict");
          }
        },
      },
    );

  return (
    <>
      <PageHead
        title={job.name}
        badge={
          <>
            <Badge variant="default">{glueTitles[job.glue_type]}</Badge>
            {editor.isDirty && (
              <Badge color="yellow" variant="light">
                {t("glue.unpublished")}
              </Badge>
            )}
          </>
        }
        actions={
          <>
            <Button
              variant="default"
              leftSection={<IconPlayerPlay size={16} />}
              loading={trigger.isPending}
              onClick={onRun}
            >
              {t("glue.run")}{" "}
              <Kbd size="xs" ml={8}>
                Ctrl ⏎
              </Kbd>
            </Button>
            <Button
              leftSection={<IconCloudUpload size={16} />}
              disabled={!editor.isDirty}
              onClick={() => openPublish(false)}
            >
              {t("glue.publish")}{" "}
              <Kbd size="xs" ml={8}>
                Ctrl S
              </Kbd>
            </Button>
          </>
        }
      />
      {editor.restoredAt && editor.isDirty && (
        <Alert color="blue" mb="sm" p="xs">
          <Text size="sm" component="div">
            {t("glue.restored")} <Instant at={editor.restoredAt} />.{" "}
            <Anchor
              component="button"
              size="sm"
              onClick={() => {
                const version = { number: liveNumber, source: live?.source ?? "" };
                editor.rebase(version, version.source);
                setErrors(noErrors);
              }}
            >
              {t("glue.discardDraft")}
            </Anchor>
          </Text>
        </Alert>
      )}
      {isStale && live && (
        <Alert color="yellow" mb="sm" p="xs" role="alert">
          <Text size="sm">
            {t("glue.stale", { number: live.number, author: live.author })}{" "}
            <Anchor component="button" size="sm" onClick={() => setDialog("conflict")}>
              {t("glue.showDifference")}
            </Anchor>
          </Text>
        </Alert>
      )}
      {errors.map((error) => (
        <Alert key={`${error.line}:${error.message}`} color="red" mb="sm" p="xs" role="alert">
          {t("glue.errorAt", { line: error.line })} {error.message}
        </Alert>
      ))}
      <div className={classes.columns}>
        <div>
          <div className={classes.editor} data-with-log={runID !== undefined || undefined}>
            <CodeEditor
              value={editor.source}
              glueType={job.glue_type}
              label={t("glue.source")}
              errors={errors}
              onChange={editor.edit}
              onPublish={onShortcut}
              onRun={onRun}
            />
          </div>
          <Group my="sm" gap="xs">
            <Text size="sm" c="dimmed">
              {t("glue.hint")}{" "}
              <AnchorLink to="/runs" search={{ job_id: job.id }} size="sm">
                {t("nav.runs")}
              </AnchorLink>
            </Text>
          </Group>
          {runID !== undefined && <LatestRun key={runID} runID={runID} />}
        </div>
        <Paper withBorder p="sm">
          <VersionsPanel job={job} source={editor.source} />
        </Paper>
      </div>
      {(dialog === "publish" || dialog === "publishAndRun") && (
        <PublishModal
          before={live && { label: `v${live.number}`, source: live.source }}
          source={editor.source}
          glueType={job.glue_type}
          runAfter={dialog === "publishAndRun"}
          error={publish.error}
          pending={publish.isPending}
          onPublish={onPublish}
          onClose={() => setDialog(undefined)}
        />
      )}
      {dialog === "conflict" && (
        <ConflictModal
          jobID={job.id}
          source={editor.source}
          glueType={job.glue_type}
          onTakeTheirs={(theirs) => {
            editor.rebase(theirs, theirs.source);
            setDialog(undefined);
          }}
          onKeepMine={(theirs) => {
            editor.rebase(theirs, editor.source);
            setDialog("publish");
          }}
          onClose={() => setDialog(undefined)}
        />
      )}
    </>
  );
}
