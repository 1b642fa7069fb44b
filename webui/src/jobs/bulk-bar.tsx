import { Button, Group, Paper, Text } from "@mantine/core";
import {
  IconPlayerPlay,
  IconPlayerStop,
  IconPlayerTrackNext,
  IconTag,
  IconTrash,
} from "@tabler/icons-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Job } from "../api/types";
import { ConfirmModal } from "../ui/confirm-modal";
import { BulkTagModal } from "./bulk-tag-modal";
import { useBulk } from "./mutations";
import { useRight } from "../session/use-right";

interface Props {
  jobs: Job[];
  onClear: () => void;
}

/** What can be done with all chosen jobs at once. */
export function BulkBar({ jobs, onClear }: Props) {
  const { t } = useTranslation();
  const [dialog, setDialog] = useState<"delete" | "tag">();
  const bulk = useBulk(jobs);
  const mayEdit = useRight("job.edit");
  const close = () => setDialog(undefined);
  const button = { size: "compact-sm", variant: "light", disabled: bulk.isPending } as const;
  return (
    <Paper withBorder p="xs" mb="sm" role="toolbar" aria-label={t("bulk.label")}>
      <Group gap="xs">
        <Text size="sm" fw={600}>
          {t("bulk.chosen", { jobs: jobs.length })}
        </Text>
        <Button
          {...button}
          color="teal"
          leftSection={<IconPlayerPlay size={15} />}
          onClick={() => bulk.mutate({ action: "start" })}
        >
          {t("bulk.start")}
        </Button>
        <Button
          {...button}
          color="gray"
          leftSection={<IconPlayerStop size={15} />}
          onClick={() => bulk.mutate({ action: "stop" })}
        >
          {t("bulk.stop")}
        </Button>
        <Button
          {...button}
          leftSection={<IconPlayerTrackNext size={15} />}
          onClick={() => bulk.mutate({ action: "run" })}
        >
          {t("jobs.runNow")}
        </Button>
        {mayEdit && (
          <>
            <Button
              {...button}
              leftSection={<IconTag size={15} />}
              onClick={() => setDialog("tag")}
            >
              {t("job.tags")}
            </Button>
            <Button
              {...button}
              color="red"
              leftSection={<IconTrash size={15} />}
              onClick={() => setDialog("delete")}
            >
              {t("action.delete")}
            </Button>
          </>
        )}
        <Button size="compact-sm" variant="subtle" color="gray" onClick={onClear}>
          {t("bulk.clear")}
        </Button>
      </Group>
      {dialog === "delete" && (
        <ConfirmModal
          title={t("bulk.deleteTitle", { jobs: jobs.length })}
          text={t("bulk.deleteText", { names: jobs.map((job) => job.name).join(", ") })}
          confirm={t("action.delete")}
          danger
          pending={bulk.isPending}
          onConfirm={() => bulk.mutate({ action: "delete" }, { onSettled: close })}
          onClose={close}
        />
      )}
      {dialog === "tag" && (
        <BulkTagModal
          jobs={jobs}
          pending={bulk.isPending}
          onSave={(change) => bulk.mutate({ action: "tag", ...change }, { onSettled: close })}
          onClose={close}
        />
      )}
    </Paper>
  );
}
