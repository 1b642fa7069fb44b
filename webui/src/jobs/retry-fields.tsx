import { NumberInput, Select } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { retryBackoffs } from "./choices";
import type { JobFormState } from "./job-form";
import { useNumberField } from "./use-number-field";

/** How often and how fast a failed run is tried again. */
export function RetryFields({ form }: { form: JobFormState }) {
  const { t } = useTranslation();
  const number = useNumberField(form);
  const { retry_backoff, retry_count } = form.values;
  return (
    <>
      <NumberInput
        label={t("job.retry_count")}
        description={t("jobForm.retryHint")}
        {...number("retry_count")}
      />
      {retry_count > 0 && (
        <>
          <NumberInput
            label={t("job.retry_delay_s")}
            description={t("jobForm.retryDelayHint")}
            suffix=" s"
            {...number("retry_delay_s")}
          />
          <Select
            label={t("job.retry_backoff")}
            description={t("jobForm.backoffHint")}
            allowDeselect={false}
            data={retryBackoffs.map((value) => ({ value, label: t(`backoff.${value}`) }))}
            {...form.getInputProps("retry_backoff")}
          />
          {retry_backoff === "EXPONENTIAL" && (
            <NumberInput
              label={t("job.retry_max_delay_s")}
              description={t("jobForm.maxDelayHint")}
              suffix=" s"
              {...number("retry_max_delay_s")}
            />
          )}
          <NumberInput
            label={t("job.retry_jitter_pct")}
            description={t("jobForm.jitterHint")}
            suffix=" %"
            max={100}
            {...number("retry_jitter_pct")}
          />
        </>
      )}
    </>
  );
}
