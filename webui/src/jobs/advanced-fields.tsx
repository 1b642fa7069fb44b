import { Checkbox, NumberInput, Select, SimpleGrid, TagsInput } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { blockStrategies, misfireStrategies, routeStrategies } from "./choices";
import type { JobFormState } from "./job-form";

export function AdvancedFields({ form }: { form: JobFormState }) {
  const { t } = useTranslation();
  const number = (name: "timeout_s" | "retry_count" | "retry_delay_s" | "catch_up_limit") => ({
    min: 0,
    allowDecimal: false,
    value: form.values[name],
    onChange: (value: string | number) => form.setFieldValue(name, Number(value)),
    error: form.errors[name],
  });
  return (
    <SimpleGrid cols={{ base: 1, sm: 2 }}>
      <Select
        label={t("job.route_strategy")}
        allowDeselect={false}
        data={routeStrategies.map((value) => ({ value, label: t(`route.${value}`) }))}
        {...form.getInputProps("route_strategy")}
      />
      <TagsInput
        label={t("job.child_job_ids")}
        placeholder={t("jobForm.childHint")}
        value={form.values.child_job_ids.map(String)}
        onChange={(ids) => form.setFieldValue("child_job_ids", toJobIDs(ids))}
        error={form.errors.child_job_ids}
      />
      <Select
        label={t("job.misfire_strategy")}
        allowDeselect={false}
        data={misfireStrategies.map((value) => ({ value, label: t(`misfire.${value}`) }))}
        {...form.getInputProps("misfire_strategy")}
      />
      <Select
        label={t("job.block_strategy")}
        allowDeselect={false}
        data={blockStrategies.map((value) => ({ value, label: t(`block.${value}`) }))}
        {...form.getInputProps("block_strategy")}
      />
      {form.values.misfire_strategy === "CATCH_UP" && (
        <NumberInput label={t("job.catch_up_limit")} {...number("catch_up_limit")} min={1} />
      )}
      <NumberInput
        label={t("job.timeout_s")}
        description={t("jobForm.timeoutHint")}
        suffix=" s"
        {...number("timeout_s")}
      />
      <NumberInput
        label={t("job.retry_count")}
        description={t("jobForm.retryHint")}
        {...number("retry_count")}
      />
      {form.values.retry_count > 0 && (
        <NumberInput label={t("job.retry_delay_s")} suffix=" s" {...number("retry_delay_s")} />
      )}
      <Checkbox
        label={t("job.idempotent")}
        description={t("jobForm.idempotentHint")}
        style={{ gridColumn: "1 / -1" }}
        {...form.getInputProps("idempotent", { type: "checkbox" })}
      />
    </SimpleGrid>
  );
}

/** Job ids of what was typed; anything else is dropped. */
function toJobIDs(typed: string[]): number[] {
  const ids = typed.map(Number).filter((id) => Number.isSafeInteger(id) && id > 0);
  return [...new Set(ids)];
}
