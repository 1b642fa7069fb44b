import { useTranslation } from "react-i18next";
import { ConfirmModal } from "../ui/confirm-modal";
import { useKill } from "./use-kill";

/** Asks before it ends a run. */
export function KillModal({ runID, onClose }: { runID: number; onClose: () => void }) {
  const { t } = useTranslation();
  const kill = useKill(runID);
  return (
    <ConfirmModal
      title={t("run.killTitle")}
      text={t("run.killText")}
      confirm={t("run.kill")}
      danger
      pending={kill.isPending}
      onConfirm={() => kill.mutate(undefined, { onSettled: onClose })}
      onClose={onClose}
    />
  );
}
