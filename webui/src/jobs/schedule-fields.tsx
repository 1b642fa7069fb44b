import { Box, NumberInput, Paper, Select, SimpleGrid, Stack, Text, TextInput } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { InstantInput } from "../ui/instant-input";
import { word } from "../ui/search";
import { useZone } from "../ui/zone";
import { dstPolicies, scheduleTypes } from "./choices";
import { CronBuilder } from "./cron-builder";
import type { JobFormState } from "./job-form";
import { SchedulePreview } from "./schedule-preview";

const zones = Intl.supportedValuesOf("timeZone");

/** When the job fires, with the next times as the server computes them. */
export function ScheduleFields({ form }: { form: JobFormState }) {
  const { t } = useTranslation();
  const serverZone = useZone();
  const { schedule_type, time_zone } = form.values;
  const isSet = schedule_type !== "NONE";
  const changeType = (value: string | null) => {
    const type = word(value, scheduleTypes);
    if (!type || type === schedule_type) return;
    // What one type understands says nothing to the other.
    form.setValues({ schedule_type: type, schedule_conf: "" });
  };

  return (
    <SimpleGrid cols={{ base: 1, sm: 2 }}>
      <Stack>
        <Select
          label={t("job.schedule_type")}
          description={t(`schedule.hint.${schedule_type}`)}
          required
          allowDeselect={false}
          data={scheduleTypes.map((value) => ({ value, label: t(`schedule.${value}`) }))}
          value={schedule_type}
          onChange={changeType}
          error={form.errors.schedule_type}
        />
        <ConfField form={form} />
        {isSet && (
          <Select
            label={t("job.time_zone")}
            description={t("schedule.zoneHint")}
            placeholder={t("schedule.serverZone", { zone: serverZone })}
            data={zones}
            searchable
            clearable
            limit={50}
            value={time_zone || null}
            onChange={(zone) => form.setFieldValue("time_zone", zone ?? "")}
            error={form.errors.time_zone}
          />
        )}
        {schedule_type === "CRON" && (
          <Select
            label={t("job.dst_policy")}
            description={t("schedule.dstHint")}
            allowDeselect={false}
            data={dstPolicies.map((value) => ({ value, label: t(`schedule.dst.${value}`) }))}
            {...form.getInputProps("dst_policy")}
          />
        )}
        {isSet && schedule_type !== "ONCE" && (
          <SimpleGrid cols={2}>
            <InstantInput
              label={t("job.valid_from")}
              description={t("schedule.validHint")}
              zone={time_zone}
              {...form.getInputProps("valid_from")}
            />
            <InstantInput
              label={t("job.valid_until")}
              description={t("schedule.validHint")}
              zone={time_zone}
              {...form.getInputProps("valid_until")}
            />
          </SimpleGrid>
        )}
      </Stack>
      {isSet && (
        <Box>
          <Text size="sm" fw={500} mb={4}>
            {t("jobs.nextFires")}
          </Text>
          <Paper p="sm" bg="light-dark(var(--mantine-color-gray-0), var(--mantine-color-dark-7))">
            <SchedulePreview job={form.values} />
          </Paper>
        </Box>
      )}
    </SimpleGrid>
  );
}

function ConfField({ form }: { form: JobFormState }) {
  const { t } = useTranslation();
  const { schedule_type, schedule_conf, time_zone } = form.values;
  const setConf = (value: string) => form.setFieldValue("schedule_conf", value);
  switch (schedule_type) {
    case "CRON":
      return (
        <Box>
          <TextInput
            label="Cron"
            required
            description={t("schedule.cronHint")}
            placeholder="0 0/5 * * * ?"
            styles={{ input: { fontFamily: "var(--mantine-font-family-monospace)" } }}
            {...form.getInputProps("schedule_conf")}
            mb={6}
          />
          <CronBuilder onChange={setConf} />
        </Box>
      );
    case "FIX_RATE":
    case "FIX_DELAY":
      return (
        <NumberInput
          label={t(schedule_type === "FIX_RATE" ? "schedule.rate" : "schedule.delay")}
          required
          min={1}
          allowDecimal={false}
          suffix=" s"
          value={schedule_conf}
          onChange={(value) => setConf(String(value))}
          error={form.errors.schedule_conf}
        />
      );
    case "ONCE":
      return (
        <InstantInput
          label={t("schedule.at")}
          required
          zone={time_zone}
          value={schedule_conf || null}
          onChange={(at) => setConf(at ?? "")}
          error={form.errors.schedule_conf}
        />
      );
    case "NONE":
      return null;
  }
}
