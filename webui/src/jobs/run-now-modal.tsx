import { Button, Group, Stack, Textarea } from "@mantine/core";
import { useForm } from "@mantine/form";
import { IconPlayerPlay } from "@tabler/icons-react";
import { useNavigate } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import type { Job } from "../api/types";
import { Dialog } from "../ui/dialog";
import { splitAddresses } from "./addresses";
import { useTriggerJob } from "./mutations";

/** XXL-JOB's "run once": parameter and addresses for this one run. */
export function RunNowModal({ job, onClose }: { job: Job; onClose: () => void }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const trigger = useTriggerJob(job.id);
  const form = useForm({
    mode: "uncontrolled",
    initialValues: { param: job.param, addresses: "" },
  });
  const submit = form.onSubmit(({ param, addresses }) => {
    const chosen = splitAddresses(addresses);
    trigger.mutate(
      { param, addresses: chosen.length > 0 ? chosen : undefined },
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
          <Textarea
            label={t("runNow.addresses")}
            description={t("runNow.addressesText")}
            placeholder="http://10.0.0.7:9999"
            autosize
            minRows={2}
            key={form.key("addresses")}
            {...form.getInputProps("addresses")}
          />
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
