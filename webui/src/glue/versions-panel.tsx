import {
  ActionIcon,
  Alert,
  Badge,
  Group,
  Skeleton,
  Stack,
  Text,
  Tooltip,
  UnstyledButton,
  VisuallyHidden,
} from "@mantine/core";
import { IconArrowBackUp } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { queries } from "../api/queries";
import type { Job } from "../api/types";
import { useErrorText } from "../ui/error-text";
import { Instant } from "../ui/instant";
import { QueryError } from "../ui/query-error";
import classes from "./glue.module.css";
import { ReviewBadge } from "./review-badge";
import { mayRun } from "./may-run";
import { useRollback } from "./use-publish";
import { useSidePanel } from "./use-side-panel";
import { VersionModal } from "./version-modal";

interface Props {
  job: Job;
  /** What is in the editor, to compare with; absent for modules. */
  source?: string;
}

/** Every version of a job's code, newest first. */
export function VersionsPanel({ job, source }: Props) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const versions = useQuery(queries.versions(job.id));
  const { version: shown, showVersion } = useSidePanel();
  const rollback = useRollback(job);
  const back = (number: number) =>
    rollback.mutate({
      number,
      remark: t("glue.rollbackRemark", { number }),
      base_version: job.glue_version,
    });
  return (
    <Stack gap="xs" h="100%">
      {rollback.error && (
        <Alert color="red" role="alert">
          {errorText(rollback.error)}
        </Alert>
      )}
      {versions.error && (
        <QueryError error={versions.error} onRetry={() => void versions.refetch()} />
      )}
      {versions.isPending && <Skeleton h={90} />}
      {versions.data?.items.length === 0 && (
        <Text size="sm" c="dimmed">
          {t("glue.noVersions")}
        </Text>
      )}
      <Stack gap={4} className={classes.versions}>
        {versions.data?.items.map((version) => (
          <Group key={version.number} gap={4} wrap="nowrap">
          <UnstyledButton
            className={classes.version}
            flex={1}
            miw={0}
            onClick={() => showVersion(version.number)}
          >
            <VisuallyHidden>{t("glue.openVersion", { number: version.number })}</VisuallyHidden>
            <Group gap={6} wrap="nowrap">
              <Text size="sm" fw={700}>
                v{version.number}
              </Text>
              {version.number === job.glue_version && (
                <Badge size="xs" color="teal">
                  {t("glue.live")}
                </Badge>
              )}
              <ReviewBadge review={version.review} />
              <Text size="sm" className="clip" title={version.remark}>
                {version.remark}
              </Text>
            </Group>
            <Text size="xs" c="dimmed" component="div">
              {version.author} · <Instant at={version.created_at} size="xs" />
            </Text>
            {version.runs > 0 && (
              <Text size="xs" c={version.failures > 0 ? "red" : "dimmed"}>
                {t("glue.versionRuns", {
                  runs: version.runs,
                  percent: percent(version.failures, version.runs),
                })}
              </Text>
            )}
          </UnstyledButton>
            {version.number !== job.glue_version && mayRun(version) && (
              <Tooltip label={t("glue.rollback", { number: version.number })}>
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  disabled={rollback.isPending}
                  aria-label={t("glue.rollback", { number: version.number })}
                  onClick={() => back(version.number)}
                >
                  <IconArrowBackUp size={17} />
                </ActionIcon>
              </Tooltip>
            )}
          </Group>
        ))}
      </Stack>
      {shown !== undefined && (
        <VersionModal
          key={shown}
          job={job}
          number={shown}
          source={source}
          onClose={() => showVersion(undefined)}
        />
      )}
    </Stack>
  );
}

/** A share in percent, with one digit while it is small. */
function percent(part: number, whole: number): string {
  const value = (part / whole) * 100;
  return value > 0 && value < 10 ? value.toFixed(1) : value.toFixed(0);
}
