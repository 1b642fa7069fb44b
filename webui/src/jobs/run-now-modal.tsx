import { Button, Group, Select, Stack, TagsInput, Textarea } from "@mantine/core";
import { useForm } from "@mantine/form";
import { IconPlayerPlay } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { queries } from "../api/queries";
import type { Job } from "../api/types";
import { mayRun } from "../glue/may-run";
import { useRight } from "../session/use-right";
import { Dialog } from "../ui/dialog";
import { isLive } from "./choices";
import { useTriggerJob } from "./mutations";

const live = ""; // the choice of no version in particular

/** XXL-JOB's "run once": parameter, addresses and version for this one run. */
export function RunNowModal({ job, onClose }: { job: Job; onClose: () => void }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const trigger = useTriggerJob(job.id);
  const nodes = useQuery(queries.groupExecutors(job.group_id));
  const form = useForm({
    mode: "uncontrolled",
    initialValues: { param: job.param, addresses: [] as string[], version: live },
  });
  const submit = form.onSubmit(({ param, addresses, version }) => {
    trigger.mutate(
      {
        param,
        addresses: addresses.length > 0 ? addresses : undefined,
        version: version === live ? undefined : Number(version),
      },
      {
        onSuccess: ({ run_id }) => void navigate({ to: "/runs/$runID", params: { runID: run_id } }),
      },
    );
  });

  return (
    <Dialog onClose={onClose} title={t("runNow.title", { name: job.name })}>
      <form onSubmit={submit}>
        <Stack>
          <Textarea
            label={t("job.param")}
            description={t("runNow.paramText")}
            autosize
            minRows={2}
            maxRows={10}
            data-autofocus
            key={form.key("param")}
            {...form.getInputProps("param")}
          />
          <TagsInput
            label={t("runNow.addresses")}
            description={t("runNow.addressesText")}
            placeholder="http://10.0.0.7:9999"
            data={nodes.data?.items.map((node) => node.address)}
            splitChars={[",", "，", " ", "\n"]}
            key={form.key("addresses")}
            {...form.getInputProps("addresses")}
          />
          <VersionSelect job={job} key={form.key("version")} {...form.getInputProps("version")} />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {t("action.cancel")}
            </Button>
            <Button
              type="submit"
              loading={trigger.isPending}
              leftSection={<IconPlayerPlay size={16} />}
            >
              {t("jobs.runNow")}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}

interface VersionProps {
  job: Job;
  defaultValue?: string;
  onChange?: (version: string | null) => void;
}

/** Chooses which version runs, for those who may publish: running an old one is as much. */
function VersionSelect({ job, ...input }: VersionProps) {
  const { t } = useTranslation();
  const mayPublish = useRight("glue.publish", job.group_id);
  const isOffered = isLive(job.glue_type) && job.glue_version > 0 && mayPublish;
  const versions = useQuery({ ...queries.versions(job.id), enabled: isOffered });
  if (!isOffered) return null;
  const choices = (versions.data?.items ?? []).filter(mayRun).map(({ number, remark }) => ({
    value: String(number),
    label: `v${number} · ${remark}`,
  }));
  return (
    <Select
      label={t("runNow.version")}
      description={t("runNow.versionText")}
      data={[
        { value: live, label: t("runNow.liveVersion", { number: job.glue_version }) },
        ...choices,
      ]}
      searchable
      allowDeselect={false}
      {...input}
    />
  );
}
