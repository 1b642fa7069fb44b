import { Alert, Button, Fieldset, Group, Stack } from "@mantine/core";
import { useForm, type UseFormReturnType } from "@mantine/form";
import { IconAlertCircle } from "@tabler/icons-react";
import { useEffect } from "react";
import { useTranslation } from "react-i18next";
import { ApiError, fieldErrors } from "../api/problem";
import type { JobInput } from "../api/types";
import { useErrorText } from "../ui/error-text";
import { LeaveGuard } from "../ui/leave-guard";
import { ButtonLink } from "../ui/links";
import { AdvancedFields } from "./advanced-fields";
import { BaseFields } from "./base-fields";
import { CodeFields } from "./code-fields";
import { ScheduleFields } from "./schedule-fields";

export type JobFormState = UseFormReturnType<JobInput>;

interface Props {
  initial: JobInput;
  /** The job being edited; absent for a new one. */
  existingID?: number;
  error: Error | null;
  pending: boolean;
  onSubmit: (input: JobInput) => void;
}

/** A job's settings in the order of XXL-JOB's dialog: base, schedule, job, advanced. */
export function JobForm({ initial, existingID, error, pending, onSubmit }: Props) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const form = useForm<JobInput>({
    initialValues: initial,
    validate: {
      name: (value) => (value.trim() === "" ? t("jobForm.required") : null),
      author: (value) => (value.trim() === "" ? t("jobForm.required") : null),
      group_id: (value) => (value > 0 ? null : t("jobForm.required")),
      schedule_conf: (value, all) =>
        all.schedule_type !== "NONE" && value.trim() === "" ? t("jobForm.required") : null,
      handler: (value, all) =>
        all.glue_type === "BEAN" && value.trim() === "" ? t("jobForm.handlerMissing") : null,
    },
  });

  const { setErrors } = form;
  useEffect(() => {
    if (error) setErrors(fieldErrors(error));
  }, [error, setErrors]);

  const isConflict = error instanceof ApiError && error.status === 409;
  return (
    <form onSubmit={form.onSubmit(onSubmit)}>
      <LeaveGuard dirty={form.isDirty() && !pending} />
      <Stack maw={760}>
        {error && (
          <Alert color="red" icon={<IconAlertCircle />} role="alert">
            {isConflict && existingID !== undefined ? t("jobForm.conflict") : errorText(error)}
          </Alert>
        )}
        <Fieldset legend={t("jobForm.base")}>
          <BaseFields form={form} />
        </Fieldset>
        <Fieldset legend={t("jobForm.schedule")}>
          <ScheduleFields form={form} />
        </Fieldset>
        <Fieldset legend={t("jobForm.job")}>
          <CodeFields form={form} existingID={existingID} />
        </Fieldset>
        <Fieldset legend={t("jobForm.advanced")}>
          <AdvancedFields form={form} />
        </Fieldset>
        <Group>
          <Button type="submit" loading={pending}>
            {t("action.save")}
          </Button>
          <ButtonLink to="/jobs" variant="default">
            {t("action.cancel")}
          </ButtonLink>
        </Group>
      </Stack>
    </form>
  );
}
