import {
  Checkbox,
  Group,
  MultiSelect,
  NumberInput,
  SimpleGrid,
  TagsInput,
  TextInput,
} from "@mantine/core";
import { isNotEmpty, useForm } from "@mantine/form";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { api, unwrap } from "../api/client";
import { queries } from "../api/queries";
import type { AlarmRule, AlarmRuleInput } from "../api/types";
import { Dialog } from "../ui/dialog";
import { DialogForm } from "../ui/dialog-form";
import { GroupSelect } from "../ui/group-select";
import { useFirst } from "../ui/use-first";
import { useSave } from "../ui/use-save";
import { alarmEvents } from "./choices";

interface Props {
  /** The rule to edit; absent for a new one. */
  rule?: AlarmRule;
  onClose: () => void;
}

const firstRule: Required<Omit<AlarmRuleInput, "group_id">> = {
  name: "",
  on: ["failure"],
  job_ids: [],
  channel_ids: [],
  threshold: 1,
  window_s: 300,
  rate_pct: 50,
  silence_s: 600,
  group_s: 0,
  late_ms: 60_000,
  each_attempt: false,
  enabled: true,
};

/** What raises an alarm, how often, and where it goes. */
export function RuleModal({ rule: shown, onClose }: Props) {
  const { t } = useTranslation();
  const rule = useFirst(shown);
  const channels = useQuery(queries.alarmChannels());
  const form = useForm<AlarmRuleInput>({
    initialValues: {
      ...firstRule,
      ...(rule && {
        name: rule.name,
        on: rule.on,
        group_id: rule.group_id,
        job_ids: rule.job_ids,
        channel_ids: rule.channel_ids,
        threshold: rule.threshold,
        window_s: rule.window_s,
        rate_pct: rule.rate_pct,
        silence_s: rule.silence_s,
        group_s: rule.group_s,
        late_ms: rule.late_ms,
        each_attempt: rule.each_attempt,
        enabled: rule.enabled,
      }),
    },
    validate: {
      name: isNotEmpty(t("jobForm.required")),
      on: isNotEmpty(t("jobForm.required")),
      channel_ids: isNotEmpty(t("jobForm.required")),
    },
  });
  const save = useSave({
    save: (body: AlarmRuleInput) =>
      rule
        ? unwrap(
            api.PUT("/alarm-rules/{id}", {
              params: { path: { id: rule.id } },
              body: { ...body, version: rule.version },
            }),
          )
        : unwrap(api.POST("/alarm-rules", { body })),
    queryKey: queries.alarmRules().queryKey,
    form,
    onSaved: onClose,
  });
  const { on } = form.values;
  return (
    <Dialog onClose={onClose} title={t(rule ? "alarms.editRule" : "alarms.addRule")} size="lg">
      <DialogForm
        mutation={save}
        onSubmit={form.onSubmit((values) => save.mutate(values))}
        onCancel={onClose}
      >
        <TextInput
          label={t("tokens.name")}
          required
          data-autofocus
          {...form.getInputProps("name")}
        />
        <MultiSelect
          label={t("alarms.on")}
          required
          searchable
          data={alarmEvents.map((value) => ({ value, label: t(`alarms.event.${value}`) }))}
          {...form.getInputProps("on")}
        />
        <Group grow align="start">
          <GroupSelect
            label={t("job.group_id")}
            placeholder={t("exchange.allGroups")}
            clearable
            value={form.values.group_id}
            onChange={(groupID) => form.setFieldValue("group_id", groupID)}
            error={form.errors.group_id}
          />
          <TagsInput
            label={t("alarms.jobs")}
            disabled={form.values.group_id === undefined}
            value={(form.values.job_ids ?? []).map(String)}
            onChange={(ids) =>
              form.setFieldValue("job_ids", ids.map(Number).filter(Number.isSafeInteger))
            }
            error={form.errors.job_ids}
          />
        </Group>
        <SimpleGrid cols={2}>
          <NumberInput label={t("alarms.threshold")} min={1} {...form.getInputProps("threshold")} />
          <NumberInput
            label={t("alarms.window")}
            suffix=" s"
            min={1}
            {...form.getInputProps("window_s")}
          />
          <NumberInput
            label={t("alarms.silence")}
            suffix=" s"
            min={0}
            {...form.getInputProps("silence_s")}
          />
          <NumberInput
            label={t("alarms.group")}
            description={t("alarms.groupHint")}
            suffix=" s"
            min={0}
            max={3600}
            {...form.getInputProps("group_s")}
          />
          {on.includes("failure_rate") && (
            <NumberInput
              label={t("alarms.rate")}
              suffix=" %"
              min={1}
              max={100}
              {...form.getInputProps("rate_pct")}
            />
          )}
          {on.includes("late") && (
            <NumberInput
              label={t("alarms.late")}
              suffix=" ms"
              min={2000}
              {...form.getInputProps("late_ms")}
            />
          )}
        </SimpleGrid>
        <MultiSelect
          label={t("alarms.channels")}
          required
          searchable
          data={(channels.data?.items ?? []).map((channel) => ({
            value: String(channel.id),
            label: channel.name,
          }))}
          value={form.values.channel_ids.map(String)}
          onChange={(ids) => form.setFieldValue("channel_ids", ids.map(Number))}
          error={form.errors.channel_ids}
        />
        <Checkbox
          label={t("alarms.eachAttempt")}
          {...form.getInputProps("each_attempt", { type: "checkbox" })}
        />
        <Checkbox
          label={t("users.enabled")}
          {...form.getInputProps("enabled", { type: "checkbox" })}
        />
      </DialogForm>
    </Dialog>
  );
}
