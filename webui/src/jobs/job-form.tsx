import { Alert, Button, Fieldset, Group, Stack } from "@mantine/core";
import { useForm, type UseFormReturnType } from "@mantine/form";
import { IconAlertCircle, IconLock } from "@tabler/icons-react";
import { useEffect } from "react";
import { useTranslation } from "react-i18next";
import { ApiError, fieldErrors } from "../api/problem";
import type { JobInput } from "../api/types";
import { ErrorAlert } from "../ui/error-alert";
import { LeaveGuard } from "../ui/leave-guard";
import { ButtonLink } from "../ui/links";
import { AdvancedFields } from "./advanced-fields";
import { BaseFields } from "./base-fields";
import { CodeFields } from "./code-fields";
import { ScheduleFields } from "./schedule-fields";
import { useRight } from "../session/use-right";

export type JobFormState = UseFormReturnType<JobInput>;

interface Props {
  initial: JobInput;
  /** The job being edited; absent for a new one. */
  existingID?: number;
  error: Error | null;
  pending: boolean;
  onSubmit: (input: JobInput) => void;
}

/**
 * A job's settings in the order of XXL-JOB's dialog: base, schedule, job, advanced. Who may
 * not change the job can read them.
 */
export function JobForm({ initial, existingID, error, pending, onSubmit }: Props) {
  const { t } = useTranslation();
  const disabled = !useRight("job.edit", existingID && initial.group_id);
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
        {isConflict && existingID !== undefined ? (
          <Alert color="red" icon={<IconAlertCircle />} role="alert">
            {t("jobForm.conflict")}
          </Alert>
        ) : (
          <ErrorAlert error={error} />
        )}
        {disabled && (
          <Alert color="gray" icon={<IconLock />}>
            {t("jobForm.readOnly")}
          </Alert>
        )}
        <Fieldset legend={t("jobForm.base")} disabled={disabled}>
          <BaseFields form={form} />
        </Fieldset>
        <Fieldset legend={t("jobForm.schedule")} disabled={disabled}>
          <ScheduleFields form={form} />
        </Fieldset>
        <Fieldset legend={t("jobForm.job")} disabled={disabled}>
          <CodeFields form={form} existingID={existingID} />
        </Fieldset>
        <Fieldset legend={t("jobForm.advanced")} disabled={disabled}>
          <AdvancedFields form={form} />
        </Fieldset>
        <Group>
          {!disabled && (
            <Button type="submit" loading={pending}>
              {t("action.save")}
            </Button>
          )}
          <ButtonLink to="/jobs" variant="default">
            {t(disabled ? "action.close" : "action.cancel")}
          </ButtonLink>
        </Group>
      </Stack>
    </form>
  );
}
