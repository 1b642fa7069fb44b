import { Alert, Badge, Button, Paper, Progress, Stack, Text, Title } from "@mantine/core";
import { IconAlertCircle, IconCloudUpload, IconPlayerPlay } from "@tabler/icons-react";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { queries } from "../api/queries";
import type { Job } from "../api/types";
import { uploadArtifact } from "../api/upload";
import { glueTitles } from "../jobs/choices";
import { useTriggerJob } from "../jobs/mutations";
import { LatestRun } from "../runs/latest-run";
import { DropZone } from "../ui/drop-zone";
import { useErrorText } from "../ui/error-text";
import { PageHead } from "../ui/page-head";
import { formatBytes } from "./bytes";
import classes from "./glue.module.css";
import { InspectionReport, ModuleFacts } from "./module-facts";
import { PublishModal } from "./publish-modal";
import { usePublish } from "./use-publish";
import { VersionsPanel } from "./versions-panel";

/** The code of a GLUE_WASM job: upload a module, look at what it is, publish it. */
export function ModulePage({ job }: { job: Job }) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const system = useQuery(queries.system());
  const live = useQuery({
    ...queries.version(job.id, job.glue_version),
    enabled: job.glue_version > 0,
  });
  const upload = useUpload();
  const publish = usePublish(job);
  const trigger = useTriggerJob(job.id);
  const [isPublishing, setPublishing] = useState(false);
  const [runID, setRunID] = useState<number>();

  const run = () => trigger.mutate({}, { onSuccess: ({ run_id }) => setRunID(run_id) });
  const uploaded = upload.data;
  const onPublish = (remark: string, runAfter: boolean) =>
    publish.mutate(
      {
        artifact: uploaded?.digest,
        remark,
        base_version: job.glue_version,
        manifest: live.data?.manifest,
      },
      {
        onSuccess: () => {
          setPublishing(false);
          upload.reset();
          if (runAfter) run();
        },
      },
    );

  return (
    <>
      <PageHead
        title={job.name}
        badge={<Badge variant="default">{glueTitles[job.glue_type]}</Badge>}
        actions={
          <Button
            variant="default"
            leftSection={<IconPlayerPlay size={16} />}
            disabled={job.glue_version === 0}
            loading={trigger.isPending}
            onClick={run}
          >
            {t("glue.run")}
          </Button>
        }
      />
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
          {upload.isPending && (
            <div role="status">
              <Text size="sm" mb={4}>
                {t(upload.progress < 1 ? "module.uploading" : "module.inspecting")}
              </Text>
              <Progress value={upload.progress * 100} animated={upload.progress === 1} />
            </div>
          )}
          {upload.error && (
            <Alert color="red" icon={<IconAlertCircle />} title={t("module.refused")} role="alert">
              {errorText(upload.error)}
            </Alert>
          )}
          {uploaded && (
            <Paper withBorder p="md">
              <Title order={2} size="h5" mb="sm">
                {t("module.uploadedTitle", { name: upload.variables?.name })}
              </Title>
              <InspectionReport artifact={uploaded} />
              <Button
                mt="md"
                leftSection={<IconCloudUpload size={16} />}
                onClick={() => {
                  publish.reset();
                  setPublishing(true);
                }}
              >
                {t("glue.publish")}
              </Button>
            </Paper>
          )}
          {live.data?.artifact && (
            <Paper withBorder p="md">
              <Title order={2} size="h5" mb="sm">
                {t("module.liveTitle", { number: live.data.number })}
              </Title>
              <ModuleFacts digest={live.data.artifact} />
            </Paper>
          )}
          {runID !== undefined && <LatestRun key={runID} runID={runID} />}
        </Stack>
        <Paper withBorder p="sm">
          <VersionsPanel job={job} />
        </Paper>
      </div>
      {isPublishing && uploaded && (
        <PublishModal
          before={undefined}
          source=""
          glueType={job.glue_type}
          runAfter
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
