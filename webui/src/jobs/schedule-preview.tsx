import { Alert, Text } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { queries } from "../api/queries";
import type { JobInput } from "../api/types";
import { useErrorText } from "../ui/error-text";
import { useSentence } from "../ui/sentence";
import { FireTimes } from "./fire-times";

const typingPause = 300; // ms without a key after which the preview is asked for

/** What a schedule means: a sentence, its next fires, and what its author should know. */
export function SchedulePreview({ job }: { job: JobInput }) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const sentence = useSentence();
  const [conf] = useDebouncedValue(job.schedule_conf.trim(), typingPause);
  const preview = useQuery({
    ...queries.preview({
      schedule_type: job.schedule_type,
      schedule_conf: conf,
      time_zone: job.time_zone,
      dst_policy: job.dst_policy,
      valid_from: job.valid_from,
      valid_until: job.valid_until,
    }),
    enabled: conf !== "",
  });
  if (job.schedule_conf.trim() === "") {
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
  return (
    <>
      {preview.data && (
        <Text size="sm" mb="xs">
          {sentence(preview.data.description)}
        </Text>
      )}
      <FireTimes times={preview.data?.items} zone={job.time_zone} />
      {preview.data?.warnings.map((warning) => (
        <Alert key={warning.code} color="yellow" mt="xs" p="xs">
          <Text size="xs">{sentence(warning)}</Text>
        </Alert>
      ))}
    </>
  );
}
