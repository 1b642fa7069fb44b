import { Badge, Group, Skeleton, Stack, Text, Title, UnstyledButton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { queries } from "../api/queries";
import type { Job } from "../api/types";
import { Instant } from "../ui/instant";
import { QueryError } from "../ui/query-error";
import classes from "./glue.module.css";
import { VersionModal } from "./version-modal";

interface Props {
  job: Job;
  /** What is in the editor, to compare with; absent for modules. */
  source?: string;
}

/** Every version of a job's code, newest first. */
export function VersionsPanel({ job, source }: Props) {
  const { t } = useTranslation();
  const versions = useQuery(queries.versions(job.id));
  const [shown, setShown] = useState<number>();
  return (
    <Stack gap="xs" h="100%">
      <Title order={2} size="h5">
        {t("glue.versions")}
      </Title>
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
          <UnstyledButton
            key={version.number}
            className={classes.version}
            onClick={() => setShown(version.number)}
            aria-label={t("glue.openVersion", { number: version.number })}
          >
            <Group gap={6} wrap="nowrap">
              <Text size="sm" fw={700}>
                v{version.number}
              </Text>
              {version.number === job.glue_version && (
                <Badge size="xs" color="teal">
                  {t("glue.live")}
                </Badge>
              )}
              <Text size="sm" className="clip" title={version.remark}>
                {version.remark}
              </Text>
            </Group>
            <Text size="xs" c="dimmed" component="div">
              {version.author} · <Instant at={version.created_at} size="xs" />
            </Text>
          </UnstyledButton>
        ))}
      </Stack>
      {shown !== undefined && (
        <VersionModal
          key={shown}
          job={job}
          number={shown}
          source={source}
          onClose={() => setShown(undefined)}
        />
      )}
    </Stack>
  );
}
