import { Button, Group, MultiSelect, Stack, TagsInput } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Job } from "../api/types";
import { Dialog } from "../ui/dialog";

interface Props {
  jobs: Job[];
  pending: boolean;
  onSave: (change: { add_tags: string[]; remove_tags: string[] }) => void;
  onClose: () => void;
}

/** Adds tags to all chosen jobs and takes others away. */
export function BulkTagModal({ jobs, pending, onSave, onClose }: Props) {
  const { t } = useTranslation();
  const [added, setAdded] = useState<string[]>([]);
  const [removed, setRemoved] = useState<string[]>([]);
  const present = [...new Set(jobs.flatMap((job) => job.tags))].toSorted();
  return (
    <Dialog onClose={onClose} title={t("bulk.tagTitle", { jobs: jobs.length })}>
      <Stack>
        <TagsInput label={t("bulk.addTags")} data-autofocus value={added} onChange={setAdded} />
        <MultiSelect
          label={t("bulk.removeTags")}
          data={present}
          disabled={present.length === 0}
          value={removed}
          onChange={setRemoved}
        />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {t("action.cancel")}
          </Button>
          <Button
            loading={pending}
            disabled={added.length + removed.length === 0}
            onClick={() => onSave({ add_tags: added, remove_tags: removed })}
          >
            {t("action.save")}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
