import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { api, unwrap } from "../api/client";
import { withoutField } from "../api/problem";
import type { BulkInput, Job, Trigger } from "../api/types";
import { inReadersLanguage } from "../i18n/server-words";
import { useNotify } from "../ui/notify";

/** Starts or stops a job and says what became of the fires already planned. */
export function useSwitchJob(job: Job) {
  const { t } = useTranslation();
  const notify = useNotify();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (enabled: boolean) =>
      unwrap(
        api.POST(enabled ? "/jobs/{id}/start" : "/jobs/{id}/stop", {
          params: { path: { id: job.id } },
        }),
      ),
    onSuccess: async (answer, enabled) => {
      await Promise.all(
        [["jobs"], ["job", job.id]].map((queryKey) => queryClient.invalidateQueries({ queryKey })),
      );
      notify.done(
        enabled
          ? t("jobs.started", { name: job.name })
          : t("jobs.stoppedDone", { name: job.name, cancelled: answer.cancelled }),
      );
      if (answer.already_claimed > 0) {
        notify.warn(t("jobs.alreadyClaimed", { fires: answer.already_claimed }));
      }
    },
    onError: notify.failed,
  });
}

export function useDeleteJob(job: Job) {
  const { t } = useTranslation();
  const notify = useNotify();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: () => unwrap(api.DELETE("/jobs/{id}", { params: { path: { id: job.id } } })),
    onSuccess: async () => {
      notify.done(t("jobs.deleted", { name: job.name }));
      await queryClient.invalidateQueries({ queryKey: ["jobs"] });
    },
    onError: notify.failed,
  });
}

/** Runs a job once, now; the answer is the new run's id. */
export function useTriggerJob(jobID: number) {
  const notify = useNotify();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (trigger: Trigger) =>
      unwrap(api.POST("/jobs/{id}/trigger", { params: { path: { id: jobID } }, body: trigger })),
    onSuccess: () => {
      void queryClient.invalidateQueries({ queryKey: ["runs"] });
      void queryClient.invalidateQueries({ queryKey: ["jobs"] });
    },
    onError: notify.failed,
  });
}

/** Does one thing to several jobs, and says which of them refused. */
export function useBulk(jobs: Job[]) {
  const { t } = useTranslation();
  const notify = useNotify();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (input: Omit<BulkInput, "ids">) =>
      unwrap(api.POST("/jobs/bulk", { body: { ...input, ids: jobs.map((job) => job.id) } })),
    onSuccess: async ({ items }) => {
      await queryClient.invalidateQueries({ queryKey: ["jobs"] });
      const refused = items.filter((item) => !item.ok);
      if (refused.length < items.length) {
        notify.done(t("bulk.done", { jobs: items.length - refused.length }));
      }
      for (const { id, error = "" } of refused) {
        const name = jobs.find((job) => job.id === id)?.name ?? id;
        const why = await inReadersLanguage(withoutField(error));
        notify.warn(t("bulk.refused", { name, why }));
      }
    },
    onError: notify.failed,
  });
}
