import { Alert, Skeleton, Stack } from "@mantine/core";
import { IconServer2, IconTrashX } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { ApiError } from "../api/problem";
import { queries } from "../api/queries";
import type { Job } from "../api/types";
import { isLive } from "../jobs/choices";
import { useRight } from "../session/use-right";
import { Empty } from "../ui/empty";
import { ButtonLink } from "../ui/links";
import { PageHead } from "../ui/page-head";
import { QueryError } from "../ui/query-error";
import { useLast } from "../ui/use-last";
import { codeLanguage } from "./code-language";
import { CodeView } from "./code-view";
import { EditorPage } from "./editor-page";
import { templateFor } from "./templates";
import { WasmPage } from "./wasm-page";

const watchJob = 5000; // ms between two looks whether somebody else has published

/** The code of a job: an editor for sources, an upload for modules. */
export function GluePage() {
  const { jobID } = useParams({ from: "/jobs/$jobID/glue" });
  const job = useQuery({
    ...queries.job(jobID),
    refetchInterval: ({ state }) => (isGone(state.error) ? false : watchJob),
  });
  if (job.error && !job.data) {
    return <QueryError error={job.error} onRetry={() => void job.refetch()} />;
  }
  if (!job.data) return <EditorSkeleton />;
  if (!isLive(job.data.glue_type)) return <BeanPage job={job.data} />;
  return (
    <>
      {isGone(job.error) && <GoneAlert />}
      <LiveCode key={jobID} job={job.data} />
    </>
  );
}

/** Whether the job is there no more; one that cannot be asked about may well be. */
function isGone(error: Error | null): boolean {
  return error instanceof ApiError && error.status === 404;
}

function GoneAlert() {
  const { t } = useTranslation();
  return (
    <Alert color="red" icon={<IconTrashX />} title={t("glue.gone")} role="alert" mb="md">
      {t("glue.goneText")}
    </Alert>
  );
}

function LiveCode({ job }: { job: Job }) {
  const me = useQuery(queries.me());
  const mayEdit = useRight("job.edit", job.group_id);
  const live = useQuery({
    ...queries.version(job.id, job.glue_version),
    enabled: job.glue_version > 0,
  });
  // What was kept when the page opens; the editor knows better afterwards.
  const draft = useQuery({
    ...queries.draft(job.id, me.data?.username ?? ""),
    enabled: me.data !== undefined && mayEdit,
    refetchOnMount: "always",
  });
  const [opened, setOpened] = useState(false);
  if (draft.isFetchedAfterMount && !opened) setOpened(true);
  // The editor lives on while a newer version is fetched beside it.
  const shown = useLast(live.data);
  const error = live.error ?? draft.error;
  if (error && !shown) {
    return (
      <QueryError
        error={error}
        onRetry={() => void Promise.all([live.refetch(), draft.refetch()])}
      />
    );
  }
  if (!mayEdit && (job.glue_version === 0 || shown)) return <CodeView job={job} live={shown} />;
  if (!me.data || !opened || (job.glue_version > 0 && !shown)) return <EditorSkeleton />;
  const common = { job, user: me.data, live: shown, stored: draft.data ?? null };
  if (job.glue_type === "GLUE_WASM") return <WasmPage {...common} />;
  return <EditorPage {...common} first={templateFor(codeLanguage(job.glue_type, ""))} />;
}

function BeanPage({ job }: { job: Job }) {
  const { t } = useTranslation();
  return (
    <>
      <PageHead title={job.name} />
      <Empty
        icon={<IconServer2 />}
        title={t("glue.beanTitle")}
        text={t("glue.beanText", { handler: job.handler })}
        actions={
          <ButtonLink to="/jobs" variant="default">
            {t("nav.jobs")}
          </ButtonLink>
        }
      />
    </>
  );
}

function EditorSkeleton() {
  return (
    <Stack aria-busy="true">
      <Skeleton h={28} w={260} />
      <Skeleton h="60vh" />
    </Stack>
  );
}
