import { Skeleton, Stack } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { api, unwrap } from "../api/client";
import { queries } from "../api/queries";
import type { JobInput } from "../api/types";
import { useNotify } from "../ui/notify";
import { PageHead } from "../ui/page-head";
import { QueryError } from "../ui/query-error";
import { isLive } from "./choices";
import { JobForm } from "./job-form";
import { emptyJob, toInput } from "./job-input";

/** Creates a job, from nothing or as a copy of another. */
export function NewJobPage() {
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
  const { t } = useTranslation();
  const notify = useNotify();
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const { jobID } = useParams({ from: "/jobs/$jobID/edit" });
  const job = useQuery({ ...queries.job(jobID), refetchOnWindowFocus: false });
  const save = useMutation({
    mutationFn: ({ input, version }: { input: JobInput; version: number }) =>
      unwrap(
        api.PUT("/jobs/{id}", { params: { path: { id: jobID } }, body: { ...input, version } }),
      ),
    onSuccess: async (answer) => {
      queryClient.removeQueries({ queryKey: ["job", jobID] });
      await queryClient.invalidateQueries({ queryKey: ["jobs"] });
      notify.done(t("jobForm.saved", { name: answer.name }));
      if (answer.already_claimed > 0) {
        notify.warn(t("jobs.alreadyClaimed", { fires: answer.already_claimed }));
      }
      await navigate({ to: "/jobs", ignoreBlocker: true });
    },
  });

  if (job.error) return <QueryError error={job.error} onRetry={() => void job.refetch()} />;
  if (!job.data) return <FormSkeleton />;
  return (
    <>
      <PageHead title={t("jobForm.editTitle", { name: job.data.name })} />
      <JobForm
        key={jobID}
        initial={toInput(job.data)}
        existingID={jobID}
        error={save.error}
        pending={save.isPending}
        onSubmit={(input) => save.mutate({ input, version: job.data.version })}
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
