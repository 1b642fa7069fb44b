import { Box, NumberInput, Paper, Select, SimpleGrid, Stack, Text, TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { queries } from "../api/queries";
import type { ScheduleType } from "../api/types";
import { useErrorText } from "../ui/error-text";
import { useZone } from "../ui/instant";
import { word } from "../ui/search";
import { scheduleTypes } from "./choices";
import { FireTimes } from "./fire-times";
import type { JobFormState } from "./job-form";

const zones = Intl.supportedValuesOf("timeZone");

/** When the job fires, with the next times as the server computes them. */
export function ScheduleFields({ form }: { form: JobFormState }) {
  const { t } = useTranslation();
  const serverZone = useZone();
  const { schedule_type, schedule_conf, time_zone } = form.values;
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
          required
          allowDeselect={false}
          data={scheduleTypes.map((value) => ({ value, label: t(`schedule.${value}`) }))}
          value={schedule_type}
          onChange={changeType}
          error={form.errors.schedule_type}
        />
        {schedule_type === "CRON" && (
          <TextInput
            label="Cron"
            required
            description={t("schedule.cronHint")}
            placeholder="0 0/5 * * * ?"
            styles={{ input: { fontFamily: "var(--mantine-font-family-monospace)" } }}
            {...form.getInputProps("schedule_conf")}
          />
        )}
        {schedule_type === "FIX_RATE" && (
          <NumberInput
            label={t("schedule.rate")}
            required
            min={1}
            allowDecimal={false}
            suffix=" s"
            value={schedule_conf}
            onChange={(value) => form.setFieldValue("schedule_conf", String(value))}
            error={form.errors.schedule_conf}
          />
        )}
        {schedule_type === "CRON" && (
          <Select
            label={t("job.time_zone")}
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
      </Stack>
      {schedule_type !== "NONE" && (
        <Box>
          <Text size="sm" fw={500} mb={4}>
            {t("jobs.nextFires")}
          </Text>
          <Paper p="sm" bg="light-dark(var(--mantine-color-gray-0), var(--mantine-color-dark-7))">
            <Preview type={schedule_type} conf={schedule_conf.trim()} zone={time_zone} />
          </Paper>
        </Box>
      )}
    </SimpleGrid>
  );
}

const typingPause = 300; // ms without a key after which the preview is asked for

function Preview({ type, conf, zone }: { type: ScheduleType; conf: string; zone: string }) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const [asked] = useDebouncedValue(conf, typingPause);
  const preview = useQuery({ ...queries.preview(type, asked, zone), enabled: asked !== "" });
  if (conf === "") {
    return (
      <Text size="sm" c="dimmed">
        {t("schedule.previewEmpty")}
      </Text>
    );
  }
  if (preview.error) {
    return (
      <Text size="sm" c="red" role="alert">
        {errorText(preview.error)}
      </Text>
    );
  }
  return <FireTimes times={preview.data?.items} zone={zone} />;
}
