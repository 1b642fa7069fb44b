import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { api, unwrap } from "../api/client";
import { queries } from "../api/queries";
import type { Job, Publish, Published, Rollback } from "../api/types";
import { useNotify } from "../ui/notify";
import { mayRun } from "./may-run";

/**
 * Publishes a new version of a job's code: it is live at the next run, or waits until
 * somebody else has approved it.
 */
export function usePublish(job: Job) {
  const published = usePublished(job);
  return useMutation({
    mutationFn: (body: Publish) =>
      unwrap(api.POST("/jobs/{id}/versions", { params: { path: { id: job.id } }, body })),
    onSuccess: published,
  });
}

/** Publishes the content of an old version again. */
export function useRollback(job: Job) {
  const published = usePublished(job);
  return useMutation({
    mutationFn: (body: Rollback) =>
      unwrap(api.POST("/jobs/{id}/rollback", { params: { path: { id: job.id } }, body })),
    onSuccess: published,
  });
}

/** Decides on somebody else's version. */
export function useReview(job: Job, number: number) {
  const published = usePublished(job);
  return useMutation({
    mutationFn: ({ verb, note }: { verb: "approve" | "reject"; note: string }) => {
      const init = { params: { path: { id: job.id, number } }, body: { note } };
      return unwrap(
        verb === "approve"
          ? api.POST("/jobs/{id}/versions/{number}/approve", init)
          : api.POST("/jobs/{id}/versions/{number}/reject", init),
      );
    },
    onSuccess: published,
  });
}

const said = {
  none: "glue.published",
  approved: "glue.published",
  pending: "glue.pendingDone",
  rejected: "review.rejected",
} as const;

function usePublished(job: Job) {
  const { t } = useTranslation();
  const notify = useNotify();
  const queryClient = useQueryClient();
  return ({ already_claimed, job_version, ...version }: Published) => {
    queryClient.setQueryData(queries.version(job.id, version.number).queryKey, version);
    if (mayRun(version)) {
      queryClient.setQueryData(queries.job(job.id).queryKey, (old) =>
        old ? { ...old, glue_version: version.number, version: job_version } : old,
      );
    }
    void queryClient.invalidateQueries({ queryKey: ["job", job.id] });
    void queryClient.invalidateQueries({ queryKey: ["jobs"] });
    void queryClient.invalidateQueries({ queryKey: ["artifact"] }); // who uses it
    void queryClient.invalidateQueries({ queryKey: ["reviews"] });
    notify.done(t(said[version.review], { number: version.number }));
    if (already_claimed > 0) notify.warn(t("jobs.alreadyClaimed", { fires: already_claimed }));
  };
}
