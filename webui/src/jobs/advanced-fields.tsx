import { Checkbox, NumberInput, Select, SimpleGrid, TagsInput } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { blockStrategies, misfireStrategies, routeStrategies } from "./choices";
import type { JobFormState } from "./job-form";
import { RetryFields } from "./retry-fields";
import { useNumberField } from "./use-number-field";

/** How a fire is routed, what may stand in its way, and what follows it. */
export function AdvancedFields({ form }: { form: JobFormState }) {
  const { t } = useTranslation();
  const number = useNumberField(form);
  const { child_job_ids, block_strategy, misfire_strategy, route_strategy } = form.values;
  const wide = { gridColumn: "1 / -1" };
  return (
    <SimpleGrid cols={{ base: 1, sm: 2 }}>
      <Select
        label={t("job.route_strategy")}
        description={t(`route.hint.${route_strategy}`)}
        allowDeselect={false}
        data={routeStrategies.map((value) => ({ value, label: t(`route.${value}`) }))}
        {...form.getInputProps("route_strategy")}
      />
      <TagsInput
        label={t("job.child_job_ids")}
        description={t("jobForm.childHint")}
        value={child_job_ids.map(String)}
        onChange={(ids) => form.setFieldValue("child_job_ids", toJobIDs(ids))}
        error={form.errors.child_job_ids}
      />
      {child_job_ids.length > 0 && (
        <Checkbox
          label={t("job.pass_result")}
          description={t("jobForm.passResultHint")}
          {...form.getInputProps("pass_result", { type: "checkbox" })}
        />
      )}
      {child_job_ids.length > 0 && route_strategy === "SHARDING_BROADCAST" && (
        <Checkbox
          label={t("job.children_once")}
          description={t("jobForm.childrenOnceHint")}
          {...form.getInputProps("children_once", { type: "checkbox" })}
        />
      )}
      <Select
        label={t("job.misfire_strategy")}
        description={t(`misfire.hint.${misfire_strategy}`)}
        allowDeselect={false}
        data={misfireStrategies.map((value) => ({ value, label: t(`misfire.${value}`) }))}
        {...form.getInputProps("misfire_strategy")}
      />
      <Select
        label={t("job.block_strategy")}
        description={t(`block.hint.${block_strategy}`)}
        allowDeselect={false}
        data={blockStrategies.map((value) => ({ value, label: t(`block.${value}`) }))}
        {...form.getInputProps("block_strategy")}
      />
      {misfire_strategy === "CATCH_UP" && (
        <NumberInput label={t("job.catch_up_limit")} {...number("catch_up_limit")} min={1} />
      )}
      {block_strategy === "DISCARD_LATER" && (
        <Checkbox
          label={t("job.discard_is_failure")}
          description={t("jobForm.discardHint")}
          {...form.getInputProps("discard_is_failure", { type: "checkbox" })}
        />
      )}
      <NumberInput
        label={t("job.timeout_s")}
        description={t("jobForm.timeoutHint")}
        suffix=" s"
        {...number("timeout_s")}
      />
      <RetryFields form={form} />
      <NumberInput
        label={t("job.max_concurrent")}
        description={t("jobForm.maxConcurrentHint")}
        {...number("max_concurrent")}
      />
      <Checkbox
        label={t("job.idempotent")}
        description={t("jobForm.idempotentHint")}
        style={wide}
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
