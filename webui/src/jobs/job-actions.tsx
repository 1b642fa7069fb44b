import { ActionIcon, Group, Menu } from "@mantine/core";
import {
  IconCalendarTime,
  IconCode,
  IconCopy,
  IconDots,
  IconEdit,
  IconHistory,
  IconPlayerPlay,
  IconServer2,
  IconTrash,
} from "@tabler/icons-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Job } from "../api/types";
import { useRight } from "../session/use-right";
import { ConfirmModal } from "../ui/confirm-modal";
import { LazyMenu } from "../ui/lazy-menu";
import { ActionIconLink, MenuItemLink } from "../ui/links";
import { isLive } from "./choices";
import { useDeleteJob } from "./mutations";
import { NextFiresModal } from "./next-fires-modal";
import { NodesModal } from "./nodes-modal";
import { RunNowModal } from "./run-now-modal";

type Dialog = "run" | "next" | "nodes" | "delete";

/** What can be done with a job, as XXL-JOB's row menu has it. */
export function JobActions({ job }: { job: Job }) {
  const { t } = useTranslation();
  const [dialog, setDialog] = useState<Dialog>();
  const close = () => setDialog(undefined);
  const mayOperate = useRight("job.operate", job.group_id);
  const mayEdit = useRight("job.edit", job.group_id);
  const jobLink = { params: { jobID: job.id } };

  return (
    <>
      <Group gap={4} justify="flex-end" wrap="nowrap">
        {mayOperate && (
          <ActionIcon
            variant="subtle"
            title={t("jobs.runNow")}
            aria-label={t("jobs.runNowNamed", { name: job.name })}
            onClick={() => setDialog("run")}
          >
            <IconPlayerPlay size={17} />
          </ActionIcon>
        )}
        <ActionIconLink
          color="gray"
          to="/runs"
          search={{ job_id: job.id }}
          title={t("jobs.showRuns")}
          aria-label={t("jobs.showRunsNamed", { name: job.name })}
        >
          <IconHistory size={17} />
        </ActionIconLink>
        <LazyMenu
          position="bottom-end"
          target={
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={t("jobs.moreNamed", { name: job.name })}
            >
              <IconDots size={17} />
            </ActionIcon>
          }
        >
          {() => (
            <>
              {isLive(job.glue_type) && (
                <MenuItemLink
                  leftSection={<IconCode size={16} />}
                  to="/jobs/$jobID/glue"
                  {...jobLink}
                >
                  GLUE IDE
                </MenuItemLink>
              )}
              <MenuItemLink leftSection={<IconEdit size={16} />} to="/jobs/$jobID/edit" {...jobLink}>
                {t(mayEdit ? "action.edit" : "run.job")}
              </MenuItemLink>
              {mayEdit && (
                <MenuItemLink
                  leftSection={<IconCopy size={16} />}
                  to="/jobs/new"
                  search={{ copy: job.id }}
                >
                  {t("action.copy")}
                </MenuItemLink>
              )}
              <Menu.Divider />
              <Menu.Item leftSection={<IconServer2 size={16} />} onClick={() => setDialog("nodes")}>
                {t("jobs.nodes")}
              </Menu.Item>
              <Menu.Item
                leftSection={<IconCalendarTime size={16} />}
                onClick={() => setDialog("next")}
              >
                {t("jobs.nextFires")}
              </Menu.Item>
              {mayEdit && (
                <>
                  <Menu.Divider />
                  <Menu.Item
                    c="red"
                    leftSection={<IconTrash size={16} />}
                    onClick={() => setDialog("delete")}
                  >
                    {t("action.delete")}
                  </Menu.Item>
                </>
              )}
            </>
          )}
        </LazyMenu>
      </Group>
      {dialog === "run" && <RunNowModal job={job} onClose={close} />}
      {dialog === "next" && <NextFiresModal job={job} onClose={close} />}
      {dialog === "nodes" && <NodesModal job={job} onClose={close} />}
      {dialog === "delete" && <DeleteModal job={job} onClose={close} />}
    </>
  );
}

function DeleteModal({ job, onClose }: { job: Job; onClose: () => void }) {
  const { t } = useTranslation();
  const deleteJob = useDeleteJob(job);
  return (
    <ConfirmModal
      title={t("jobs.deleteTitle")}
      text={t("jobs.deleteText", { name: job.name })}
      confirm={t("action.delete")}
      danger
      pending={deleteJob.isPending}
      onConfirm={() => deleteJob.mutate(undefined, { onSuccess: onClose })}
      onClose={onClose}
    />
  );
}
