import { Alert, Button, Kbd } from "@mantine/core";
import { useHotkeys } from "@mantine/hooks";
import { IconCloudUpload, IconFlask } from "@tabler/icons-react";
import type { EditorView } from "@codemirror/view";
import { useMutation } from "@tanstack/react-query";
import { type ReactNode, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import type { Job, ServerDraft, User, Version } from "../api/types";
import { useSwitchJob, useTriggerJob } from "../jobs/mutations";
import { PageHead } from "../ui/page-head";
import { CodeEditor } from "./code-editor";
import { codeErrors, isVersionConflict } from "./code-error";
import { codeLanguage } from "./code-language";
import type { CodeProblem } from "./compile/problem";
import { ConflictModal } from "./conflict-modal";
import { DraftNotices } from "./draft-notices";
import { EditorBar } from "./editor-bar";
import { ElsewhereModal } from "./elsewhere-modal";
import { canFormat, formatCode } from "./format";
import classes from "./glue.module.css";
import { JobBadges } from "./job-badges";
import { JobLinks } from "./job-links";
import { OtherDraftModal } from "./other-draft-modal";
import { type Next, PublishModal } from "./publish-modal";
import { SidePanel } from "./side-panel";
import { useCheck } from "./use-check";
import { buildCode, CompileError, useCompiler } from "./use-code";
import { useEditor } from "./use-editor";
import { mayRun } from "./may-run";
import { usePublish } from "./use-publish";
import { useSidePanel } from "./use-side-panel";
import { useTestRun } from "./use-test-run";

interface Props {
  job: Job;
  user: User;
  /** The version that runs now; absent while none was published. */
  live: Version | undefined;
  /** The draft that the server has of this person. */
  stored: ServerDraft | null;
  /** What a job without code begins with. */
  first: string;
  /** Above the editor, such as the choice between text and module. */
  children?: ReactNode;
}

/** XXL-JOB's GLUE IDE: code is written, tried beside itself, compared, and then published. */
export function EditorPage({ job, user, live, stored, first, children }: Props) {
  const { t } = useTranslation();
  const view = useRef<EditorView>(null);
  const editor = useEditor(job, user, live, stored, first);
  const language = codeLanguage(job.glue_type, editor.source);
  const compiler = useCompiler();
  const check = useCheck(language, editor.source, compiler);
  const publish = usePublish(job);
  const test = useTestRun(job);
  const trigger = useTriggerJob(job.id);
  const switchJob = useSwitchJob(job);
  const [dialog, setDialog] = useState<"publish" | "conflict" | "elsewhere">();
  const [compared, setCompared] = useState<string>(); // whose draft is looked at
  const { setTab } = useSidePanel();
  const [runID, setRunID] = useState<number>();
  const [refused, setRefused] = useState<CodeProblem[]>([]);
  const close = () => setDialog(undefined);

  const liveNumber = live?.number ?? 0;
  const problems = refused.length > 0 ? refused : check.problems;
  const build = () => buildCode(language, editor.source, compiler);
  const go = useMutation({
    mutationFn: async ({ remark }: { remark: string; next: Next }) =>
      publish.mutateAsync({
        ...(await build()),
        remark,
        base_version: editor.base,
        manifest: editor.manifest,
      }),
    onSuccess: (version, { next }) => {
      close();
      if (!mayRun(version)) {
        // It goes on from what is live, until somebody has approved it.
        editor.rebase({ ...version, number: liveNumber }, false);
        setTab("versions");
        return;
      }
      editor.rebase(version, false);
      if (next.start) switchJob.mutate(true);
      if (next.run) trigger.mutate({}, { onSuccess: ({ run_id }) => setRunID(run_id) });
    },
    onError: (error) => {
      if (showRefusal(error)) close();
      else if (isVersionConflict(error)) setDialog("conflict");
    },
  });
  /** Marks the places that were refused; a dialog would hide them. */
  function showRefusal(error: Error): boolean {
    const places = error instanceof CompileError ? error.problems : codeErrors(error);
    setRefused(places);
    return places.length > 0;
  }

  const openPublish = () => {
    if (!editor.isDirty) return;
    go.reset();
    setDialog(editor.base === liveNumber ? "publish" : "conflict");
  };
  const startTest = () => {
    setTab("test");
    setRunID(undefined);
    test.start.mutate(async () => ({ code: await build(), manifest: editor.manifest }), {
      onError: (error) => {
        if (!showRefusal(error)) test.notify.failed(error);
      },
    });
  };
  const format = () => {
    if (view.current && canFormat(language)) {
      formatCode(view.current, language).catch(() => test.notify.warn(t("glue.formatFailed")));
    }
  };
  // The editor has these keys, too; here they work beside it.
  useHotkeys([
    ["mod+S", openPublish],
    ["mod+Enter", startTest],
  ]);

  return (
    <>
      <PageHead
        title={job.name}
        badge={<JobBadges job={job} isDirty={editor.isDirty} />}
        actions={
          <>
            <JobLinks job={job} />
            <Button
              variant="default"
              leftSection={<IconFlask size={16} />}
              rightSection={<Kbd size="xs">Ctrl ⏎</Kbd>}
              loading={test.isPending}
              onClick={startTest}
            >
              {t("glue.test")}
            </Button>
            <Button
              leftSection={<IconCloudUpload size={16} />}
              rightSection={<Kbd size="xs">Ctrl S</Kbd>}
              disabled={!editor.isDirty}
              onClick={openPublish}
            >
              {t("glue.publish")}
            </Button>
          </>
        }
      />
      {children}
      <DraftNotices
        editor={editor}
        live={live}
        onDiscard={() => {
          editor.rebase(live ?? { number: 0, source: first, manifest: {} }, false);
          setRefused([]);
        }}
        onCompareLive={() => setDialog("conflict")}
        onCompareElsewhere={() => setDialog("elsewhere")}
        onCompareOther={setCompared}
      />
      {refused.map((problem) => (
        <Alert key={`${problem.line}:${problem.message}`} color="red" mb="sm" p="xs" role="alert">
          {t("glue.errorAt", { line: problem.line })} {problem.message}
        </Alert>
      ))}
      <div className={classes.columns}>
        <div>
          <EditorBar
            language={language}
            draft={editor.draft}
            check={check.state}
            problems={problems}
            isDirty={editor.isDirty}
            view={view}
            onTemplate={(source) => editor.edit({ source })}
            onFormat={canFormat(language) ? format : undefined}
          />
          <div className={classes.editor}>
            <CodeEditor
              value={editor.source}
              language={language}
              label={t("glue.source")}
              focused={!live}
              problems={problems}
              target={refused[0]}
              viewRef={view}
              onChange={(source) => {
                if (source !== editor.source) setRefused([]);
                editor.edit({ source });
              }}
              onPublish={openPublish}
              onRun={startTest}
              onFormat={format}
            />
          </div>
        </div>
        <SidePanel
          job={job}
          source={editor.source}
          manifest={editor.manifest}
          test={test}
          runID={runID}
          onManifest={(manifest) => editor.edit({ manifest })}
          onTest={startTest}
        />
      </div>
      {dialog === "publish" && (
        <PublishModal
          job={job}
          before={live && { ...live, label: `v${live.number}` }}
          after={{ ...editor, label: t("glue.yours") }}
          language={language}
          error={go.error instanceof CompileError ? null : go.error}
          pending={go.isPending}
          onPublish={(remark, next) => go.mutate({ remark, next })}
          onClose={close}
        />
      )}
      {dialog === "conflict" && (
        <ConflictModal
          jobID={job.id}
          source={editor.source}
          language={language}
          onTakeTheirs={(theirs) => {
            editor.rebase(theirs, false);
            close();
          }}
          onKeepMine={(theirs) => {
            editor.rebase(theirs, true);
            setDialog("publish");
          }}
          onClose={close}
        />
      )}
      {dialog === "elsewhere" && (
        <ElsewhereModal
          jobID={job.id}
          username={user.username}
          mine={editor}
          language={language}
          onTakeOther={(other) => {
            editor.adopt(other);
            close();
          }}
          onKeepMine={(other) => {
            editor.draft.acknowledge(other.updated_at);
            close();
          }}
          onClose={close}
        />
      )}
      {compared !== undefined && (
        <OtherDraftModal
          jobID={job.id}
          username={compared}
          mine={editor}
          language={language}
          onTake={({ source, manifest }) => {
            editor.edit({ source, manifest });
            setCompared(undefined);
          }}
          onClose={() => setCompared(undefined)}
        />
      )}
    </>
  );
}
