import { Text, Timeline } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { Run } from "../api/types";
import { between, formatDuration } from "../time/duration";
import { Instant } from "../ui/instant";
import { stateColors } from "./state";

const noticeable = 1000; // ms of lateness that are worth a word

/** From the planned instant to the end, with what each step took. */
export function RunTimeline({ run }: { run: Run }) {
  const { t } = useTranslation();
  const isDelayed = run.due_at !== run.fire_at;
  const steps = [
    { key: "planned", at: run.fire_at, after: undefined },
    ...(isDelayed
      ? [{ key: "due", at: run.due_at, after: between(run.fire_at, run.due_at) } as const]
      : []),
    // The claim is up to a second early, so that the request leaves on time.
    { key: "claimed", at: run.claimed_at, after: between(run.due_at, run.claimed_at) },
    { key: "started", at: run.started_at, after: between(run.due_at, run.started_at) },
    { key: "ended", at: run.ended_at, after: between(run.started_at ?? run.due_at, run.ended_at) },
  ] as const;
  const late = between(run.due_at, run.started_at);
  const reached = steps.findLastIndex((step) => step.at);

  return (
    <>
      {late !== undefined && late >= noticeable && (
        <Text size="sm" c="orange" mb="sm">
          {t("run.late", { by: formatDuration(late) })}
        </Text>
      )}
    <Timeline active={reached} bulletSize={14} lineWidth={2} color={stateColors[run.state]}>
      {steps.map(({ key, at, after }) => (
        <Timeline.Item key={key} title={t(`run.step.${key}`)}>
          <Instant at={at} />
          {after !== undefined && (
            <Text span size="xs" c="dimmed" ml={8}>
              {key === "ended"
                ? formatDuration(after)
                : `${after < 0 ? "" : "+"}${formatDuration(after)}`}
            </Text>
          )}
        </Timeline.Item>
      ))}
    </Timeline>
    </>
  );
}
