import { Skeleton, Stack } from "@mantine/core";
import { IconLock } from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { api, unwrap } from "../api/client";
import { queries } from "../api/queries";
import type { Job, JobInput } from "../api/types";
import { Empty } from "../ui/empty";
import { ButtonLink } from "../ui/links";
import { useNotify } from "../ui/notify";
import { PageHead } from "../ui/page-head";
import { QueryError } from "../ui/query-error";
import { useFirst } from "../ui/use-first";
import { isLive } from "./choices";
import { JobForm } from "./job-form";
import { emptyJob, toInput } from "./job-input";
import { useRight } from "../session/use-right";

/** Creates a job, for those who may: others do not fill in a form that is refused. */
export function NewJobPage() {
  const { t } = useTranslation();
  if (useRight("job.edit")) return <NewJob />;
  return (
    <>
      <PageHead title={t("jobForm.newTitle")} />
      <Empty
        icon={<IconLock />}
        title={t("jobForm.mayNotTitle")}
        text={t("jobForm.mayNotText")}
        actions={<ButtonLink to="/jobs">{t("nav.jobs")}</ButtonLink>}
      />
    </>
  );
}

/** A new job, from nothing or as a copy of another. */
function NewJob() {
  const { t } = useTranslation();
  const notify = useNotify();
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const { copy, group_id } = useSearch({ from: "/jobs/new" });
  const me = useQuery(queries.me());
  const groups = useQuery(queries.groups());
  const original = useQuery({ ...queries.job(copy ?? 0), enabled: copy !== undefined });
  const create = useMutation({
    mutationFn: (body: JobInput) => unwrap(api.POST("/jobs", { body })),
    onSuccess: async (job) => {
      await queryClient.invalidateQueries({ queryKey: ["jobs"] });
      notify.done(t("jobForm.created", { name: job.name }));
      // Code comes next; a handler exists already.
      if (isLive(job.glue_type)) {
        await navigate({ to: "/jobs/$jobID/glue", params: { jobID: job.id }, ignoreBlocker: true });
      } else {
        await navigate({ to: "/jobs", ignoreBlocker: true });
      }
    },
  });

  if (original.error) {
    return <QueryError error={original.error} onRetry={() => void original.refetch()} />;
  }
  if (!groups.data || !me.data || (copy !== undefined && !original.data)) return <FormSkeleton />;
  const initial = original.data
    ? { ...toInput(original.data), name: t("jobForm.copyName", { name: original.data.name }) }
    : emptyJob(group_id ?? groups.data.items[0]?.id ?? 0, me.data.username);
  return (
    <>
      <PageHead title={t("jobForm.newTitle")} />
      <JobForm
        key={copy}
        initial={initial}
        error={create.error}
        pending={create.isPending}
        onSubmit={(input) => create.mutate(input)}
      />
    </>
  );
}

export function EditJobPage() {
  const { jobID } = useParams({ from: "/jobs/$jobID/edit" });
  // What another page has shown minutes ago is not what an edit should begin with.
  const job = useQuery({ ...queries.job(jobID), refetchOnMount: "always" });
  if (job.error) return <QueryError error={job.error} onRetry={() => void job.refetch()} />;
  if (!job.isFetchedAfterMount || !job.data) return <FormSkeleton />;
  return <EditJob key={jobID} shown={job.data} />;
}

function EditJob({ shown }: { shown: Job }) {
  const { t } = useTranslation();
  const notify = useNotify();
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const job = useFirst(shown);
  const mayEdit = useRight("job.edit", job.group_id);
  const save = useMutation({
    mutationFn: (input: JobInput) =>
      unwrap(
        api.PUT("/jobs/{id}", {
          params: { path: { id: job.id } },
          body: { ...input, version: job.version },
        }),
      ),
    onSuccess: async (answer) => {
      queryClient.removeQueries({ queryKey: ["job", job.id] });
      await queryClient.invalidateQueries({ queryKey: ["jobs"] });
      notify.done(t("jobForm.saved", { name: answer.name }));
      if (answer.already_claimed > 0) {
        notify.warn(t("jobs.alreadyClaimed", { fires: answer.already_claimed }));
      }
      await navigate({ to: "/jobs", ignoreBlocker: true });
    },
  });

  return (
    <>
      <PageHead
        title={t(mayEdit ? "jobForm.editTitle" : "jobForm.showTitle", { name: job.name })}
      />
      <JobForm
        initial={toInput(job)}
        existingID={job.id}
        error={save.error}
        pending={save.isPending}
        onSubmit={(input) => save.mutate(input)}
      />
    </>
  );
}

function FormSkeleton() {
  return (
    <Stack maw={760} aria-busy="true">
      <Skeleton h={28} w={220} />
      <Skeleton h={210} />
      <Skeleton h={150} />
      <Skeleton h={150} />
    </Stack>
  );
}
