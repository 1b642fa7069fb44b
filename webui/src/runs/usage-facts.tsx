import { Group, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { Usage } from "../api/types";
import { formatDuration } from "../time/duration";
import { formatBytes } from "../ui/bytes";

/** What a run took of the executor. */
export function UsageFacts({ usage }: { usage: Usage }) {
  const { t } = useTranslation();
  const facts = [
    [t("usage.wall"), formatDuration(usage.wall_ms)],
    [t("usage.cpu"), formatDuration(usage.cpu_ms)],
    [t("usage.memory"), formatBytes(usage.peak_bytes)],
    [t("usage.log"), formatBytes(usage.log_bytes)],
    [t("usage.hostCalls"), String(usage.host_calls)],
  ] as const;
  return (
    <Group gap="md" role="group" aria-label={t("usage.title")}>
      {facts.map(([name, value]) => (
        <Text key={name} size="xs" className="nowrap">
          <Text span c="dimmed" size="xs">
            {name}
          </Text>{" "}
          {value}
        </Text>
      ))}
    </Group>
  );
}
