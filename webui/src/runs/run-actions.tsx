import { Button, Group, Menu } from "@mantine/core";
import { IconChevronDown, IconPlayerStop, IconRepeat } from "@tabler/icons-react";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { api, unwrap } from "../api/client";
import { queries } from "../api/queries";
import type { Run } from "../api/types";
import { RunNowModal } from "../jobs/run-now-modal";
import { ConfirmModal } from "../ui/confirm-modal";
import { useNotify } from "../ui/notify";
import { isOpen } from "./state";
import { useKill } from "./use-kill";

/** Ends a run, or runs it again: the same version, the newest, or with another parameter. */
export function RunActions({ run }: { run: Run }) {
  const { t } = useTranslation();
  const notify = useNotify();
  const navigate = useNavigate();
  const [dialog, setDialog] = useState<"kill" | "again">();
  const close = () => setDialog(undefined);
  const job = useQuery(queries.job(run.job_id));
  const kill = useKill(run.id);
  const rerun = useMutation({
    mutationFn: (version: "same" | "newest") =>
      unwrap(
        api.POST("/runs/{id}/rerun", { params: { path: { id: run.id } }, body: { version } }),
      ),
    onSuccess: ({ run_id }) => void navigate({ to: "/runs/$runID", params: { runID: run_id } }),
    onError: notify.failed,
  });

  return (
    <Group gap="xs">
      {isOpen(run.state) && (
        <Button
          color="red"
          variant="light"
          leftSection={<IconPlayerStop size={16} />}
          onClick={() => setDialog("kill")}
        >
          {t("run.kill")}
        </Button>
      )}
      {job.data && (
        <Menu position="bottom-end">
          <Menu.Target>
            <Button
              variant="light"
              leftSection={<IconRepeat size={16} />}
              rightSection={<IconChevronDown size={14} />}
              loading={rerun.isPending}
            >
              {t("run.again")}
            </Button>
          </Menu.Target>
          <Menu.Dropdown>
            <Menu.Item onClick={() => rerun.mutate("newest")}>{t("run.againNewest")}</Menu.Item>
            {run.glue_version > 0 && (
              <Menu.Item onClick={() => rerun.mutate("same")}>
                {t("run.againSame", { number: run.glue_version })}
              </Menu.Item>
            )}
            <Menu.Item onClick={() => setDialog("again")}>{t("run.againChanged")}</Menu.Item>
          </Menu.Dropdown>
        </Menu>
      )}
      {dialog === "kill" && (
        <ConfirmModal
          title={t("run.killTitle")}
          text={t("run.killText")}
          confirm={t("run.kill")}
          danger
          pending={kill.isPending}
          onConfirm={() => kill.mutate(undefined, { onSettled: close })}
          onClose={close}
        />
      )}
      {dialog === "again" && job.data && (
        <RunNowModal job={{ ...job.data, param: run.param ?? job.data.param }} onClose={close} />
      )}
    </Group>
  );
}
