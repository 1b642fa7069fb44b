import { SegmentedControl, Skeleton, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { mostFires, queries } from "../api/queries";
import type { Job } from "../api/types";
import { knownZone } from "../time/zone";
import { Dialog } from "../ui/dialog";
import { QueryError } from "../ui/query-error";
import { useZone } from "../ui/zone";
import { FireCalendar } from "./fire-calendar";
import { FireTimes } from "./fire-times";

const listed = 10; // times in the list

/** When the job fires next, as a list and as a calendar. */
export function NextFiresModal({ job, onClose }: { job: Job; onClose: () => void }) {
  const { t } = useTranslation();
  const serverZone = useZone();
  const [shape, setShape] = useState<"list" | "calendar">("list");
  const next = useQuery(queries.nextFires(job.id));
  const zone = job.time_zone ? knownZone(job.time_zone) : serverZone;
  return (
    <Dialog onClose={onClose} title={t("jobs.nextFires")}>
      <Stack>
        <SegmentedControl
          size="xs"
          value={shape}
          onChange={(value) => setShape(value as typeof shape)}
          data={[
            { value: "list", label: t("calendar.list") },
            { value: "calendar", label: t("calendar.month") },
          ]}
        />
        {next.error && <QueryError error={next.error} onRetry={() => void next.refetch()} />}
        {shape === "list" && !next.error && (
          <FireTimes times={next.data?.items.slice(0, listed)} zone={job.time_zone} />
        )}
        {shape === "calendar" && next.isPending && <Skeleton h={260} />}
        {shape === "calendar" && next.data && (
          <>
            <FireCalendar times={next.data.items} zone={zone} />
            <Text size="xs" c="dimmed">
              {next.data.items.length === mostFires && t("calendar.bound", { fires: mostFires })}{" "}
              {zone}
            </Text>
          </>
        )}
      </Stack>
    </Dialog>
  );
}
