import { Alert, Button, Paper, Progress, Stack, Text, Title } from "@mantine/core";
import { IconAlertCircle, IconCloudUpload, IconFlask } from "@tabler/icons-react";
import { useMutation, useQuery } from "@tanstack/react-query";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { queries } from "../api/queries";
import type { Job, Version } from "../api/types";
import { uploadArtifact } from "../api/upload";
import { useSwitchJob, useTriggerJob } from "../jobs/mutations";
import { DropZone } from "../ui/drop-zone";
import { useErrorText } from "../ui/error-text";
import { PageHead } from "../ui/page-head";
import { formatBytes } from "../ui/bytes";
import classes from "./glue.module.css";
import { JobBadges } from "./job-badges";
import { JobLinks } from "./job-links";
import { sameManifest } from "./manifest";
import { ModuleFacts } from "./module-facts";
import { ModuleSelect } from "./module-select";
import { type Next, PublishModal } from "./publish-modal";
import { SidePanel } from "./side-panel";
import { mayRun } from "./may-run";
import { usePublish } from "./use-publish";
import { useSidePanel } from "./use-side-panel";
import { useTestRun } from "./use-test-run";

interface Props {
  job: Job;
  live: Version | undefined;
  /** Above the page: the choice between upload and text. */
  children: ReactNode;
}

/** The code of a GLUE_WASM job as a file: upload a module, look at what it is, publish it. */
export function ModulePage({ job, live, children }: Props) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const system = useQuery(queries.system());
  const upload = useUpload();
  const publish = usePublish(job);
  const trigger = useTriggerJob(job.id);
  const switchJob = useSwitchJob(job);
  const test = useTestRun(job);
  const [manifest, setManifest] = useState(live?.manifest ?? {});
  const { setTab } = useSidePanel();
  const [isPublishing, setPublishing] = useState(false);
  const [runID, setRunID] = useState<number>();

  // Given now, or one that was uploaded before, perhaps for another job.
  const [chosen, setChosen] = useState<string>();
  const fresh = upload.data?.digest ?? chosen;
  const artifact = fresh ?? live?.artifact ?? undefined;
  const isDirty =
    fresh !== undefined || (live !== undefined && !sameManifest(manifest, live.manifest));
  const startTest = () => {
    setTab("test");
    setRunID(undefined);
    test.start.mutate(() => Promise.resolve({ code: { source: "", artifact }, manifest }), {
      onError: test.notify.failed,
    });
  };
  const onPublish = (remark: string, next: Next) =>
    publish.mutate(
      { artifact, remark, base_version: job.glue_version, manifest },
      {
        onSuccess: (version) => {
          setPublishing(false);
          upload.reset();
          setChosen(undefined);
          if (!mayRun(version)) {
            setTab("versions");
            return;
          }
          if (next.start) switchJob.mutate(true);
          if (next.run) trigger.mutate({}, { onSuccess: ({ run_id }) => setRunID(run_id) });
        },
      },
    );

  return (
    <>
      <PageHead
        title={job.name}
        badge={<JobBadges job={job} isDirty={isDirty} />}
        actions={
          <>
            <JobLinks job={job} />
            <Button
              variant="default"
              leftSection={<IconFlask size={16} />}
              disabled={!artifact}
              loading={test.isPending}
              onClick={startTest}
            >
              {t("glue.test")}
            </Button>
            <Button
              leftSection={<IconCloudUpload size={16} />}
              disabled={!isDirty}
              onClick={() => {
                publish.reset();
                setPublishing(true);
              }}
            >
              {t("glue.publish")}
            </Button>
          </>
        }
      />
      {children}
      <div className={classes.columns}>
        <Stack>
          <DropZone
            accept=".wasm,application/wasm"
            title={t("module.dropTitle")}
            text={t("module.dropText", {
              size: formatBytes(system.data?.max_artifact_bytes ?? 0),
            })}
            button={t("module.choose")}
            disabled={upload.isPending}
            onFile={(file) => upload.mutate(file)}
          />
          <ModuleSelect
            digest={fresh}
            onChange={(digest) => {
              upload.reset();
              setChosen(digest);
            }}
          />
          {upload.isPending && (
            <div role="status">
              <Text size="sm" mb={4}>
                {t(upload.progress < 1 ? "module.uploading" : "module.inspecting")}
              </Text>
              <Progress
                value={upload.progress * 100}
                animated={upload.progress === 1}
                aria-label={t("module.uploading")}
              />
            </div>
          )}
          {upload.error && (
            <Alert color="red" icon={<IconAlertCircle />} title={t("module.refused")} role="alert">
              {errorText(upload.error)}
            </Alert>
          )}
          {fresh && (
            <Paper withBorder p="md">
              <Title order={2} size="h5" mb="sm">
                {upload.data
                  ? t("module.uploadedTitle", { name: upload.variables?.name })
                  : t("module.chosenTitle")}
              </Title>
              <ModuleFacts digest={fresh} />
            </Paper>
          )}
          {live?.artifact && (
            <Paper withBorder p="md">
              <Title order={2} size="h5" mb="sm">
                {t("module.liveTitle", { number: live.number })}
              </Title>
              <ModuleFacts digest={live.artifact} />
            </Paper>
          )}
        </Stack>
        <SidePanel
          job={job}
          manifest={manifest}
          test={test}
          runID={runID}
          onManifest={setManifest}
          onTest={startTest}
        />
      </div>
      {isPublishing && (
        <PublishModal
          job={job}
          before={live && { ...live, label: `v${live.number}`, source: "" }}
          after={{ label: t("glue.yours"), source: "", manifest, artifact }}
          language="WAT"
          error={publish.error}
          pending={publish.isPending}
          onPublish={onPublish}
          onClose={() => setPublishing(false)}
        />
      )}
    </>
  );
}

/** Uploads a file; leaving the page ends it. */
function useUpload() {
  const [progress, setProgress] = useState(0);
  const abort = useRef<AbortController>(null);
  const upload = useMutation({
    mutationFn: (file: File) => {
      abort.current = new AbortController();
      setProgress(0);
      return uploadArtifact(file, setProgress, abort.current.signal);
    },
  });
  useEffect(() => () => abort.current?.abort(), []);
  return { ...upload, progress };
}
