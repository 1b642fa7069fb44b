import { useBlocker } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { ConfirmModal } from "./confirm-modal";

/** Asks before a page with unsaved input is left. */
export function LeaveGuard({ dirty }: { dirty: boolean }) {
  const { t } = useTranslation();
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) => dirty && current.pathname !== next.pathname,
    enableBeforeUnload: dirty,
    withResolver: true,
  });
  if (blocker.status !== "blocked") return null;
  return (
    <ConfirmModal
      title={t("leave.title")}
      text={t("leave.text")}
      confirm={t("leave.confirm")}
      danger
      onConfirm={blocker.proceed}
      onClose={blocker.reset}
    />
  );
}
