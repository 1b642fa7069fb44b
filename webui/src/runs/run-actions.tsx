import { Button, Group, Menu } from "@mantine/core";
import {
  IconChevronDown,
  IconCode,
  IconPlayerStop,
  IconRepeat,
  IconSettings,
} from "@tabler/icons-react";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { api, unwrap } from "../api/client";
import { queries } from "../api/queries";
import type { Run } from "../api/types";
import { isLive } from "../jobs/choices";
import { RunNowModal } from "../jobs/run-now-modal";
import { useRight } from "../session/use-right";
import { ButtonLink } from "../ui/links";
import { useNotify } from "../ui/notify";
import { KillModal } from "./kill-modal";
import { isOpen } from "./state";

/**
 * Leads to the run's job, ends the run, or runs it again: the same version, the newest, or
 * with another parameter.
 */
export function RunActions({ run }: { run: Run }) {
  const { t } = useTranslation();
  const notify = useNotify();
  const navigate = useNavigate();
  const [dialog, setDialog] = useState<"kill" | "again">();
  const close = () => setDialog(undefined);
  const job = useQuery(queries.job(run.job_id));
  const mayOperate = useRight("job.operate", run.group_id);
  const jobLink = { params: { jobID: run.job_id } };
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
      {job.data && (
        <ButtonLink
          to="/jobs/$jobID/edit"
          {...jobLink}
          variant="default"
          leftSection={<IconSettings size={16} />}
        >
          {t("run.job")}
        </ButtonLink>
      )}
      {job.data && isLive(job.data.glue_type) && (
        <ButtonLink
          to="/jobs/$jobID/glue"
          {...jobLink}
          variant="default"
          leftSection={<IconCode size={16} />}
        >
          GLUE IDE
        </ButtonLink>
      )}
      {mayOperate && isOpen(run.state) && (
        <Button
          color="red"
          variant="light"
          leftSection={<IconPlayerStop size={16} />}
          onClick={() => setDialog("kill")}
        >
          {t("run.kill")}
        </Button>
      )}
      {mayOperate && job.data && (
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
      {dialog === "kill" && <KillModal runID={run.id} onClose={close} />}
      {dialog === "again" && job.data && (
        <RunNowModal job={{ ...job.data, param: run.param ?? job.data.param }} onClose={close} />
      )}
    </Group>
  );
}
