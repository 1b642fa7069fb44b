import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { api, unwrap } from "../api/client";
import { useNotify } from "../ui/notify";

/** Asks a run to stop. */
export function useKill(runID: number) {
  const { t } = useTranslation();
  const notify = useNotify();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: () => unwrap(api.POST("/runs/{id}/kill", { params: { path: { id: runID } } })),
    onSuccess: () => notify.done(t("run.killSent")),
    onError: notify.failed,
    onSettled: () => {
      void queryClient.invalidateQueries({ queryKey: ["run", runID] });
      void queryClient.invalidateQueries({ queryKey: ["runs"] });
    },
  });
}
