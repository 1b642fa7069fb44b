import { Chip, Group, Select, Stack } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { RunFilter } from "../api/queries";
import { GroupSelect } from "../ui/group-select";
import { words } from "../ui/search";
import { SpanInput } from "../ui/span-input";
import { JobSelect } from "./job-select";
import { allCauses, allStates, stateColors } from "./state";

interface Props {
  filter: RunFilter;
  /** Of the job that the filter names; absent while it is not known. */
  jobName: string | undefined;
  onChange: (change: RunFilter) => void;
}

/** XXL-JOB's filters in its order: executor, job, status, time. */
export function RunFilters({ filter, jobName, onChange }: Props) {
  const { t } = useTranslation();
  const states = filter.state ?? [];

  return (
    <Stack gap="xs" mb="md" role="search" aria-label={t("filter.label")}>
      <Group gap="xs">
        <GroupSelect
          aria-label={t("job.group_id")}
          placeholder={t("job.group_id")}
          clearable
          w={190}
          value={filter.group_id}
          onChange={(group_id) => onChange({ group_id, job_id: undefined })}
        />
        <JobSelect filter={filter} jobName={jobName} onChange={onChange} />
        <Select
          aria-label={t("runs.column.cause")}
          placeholder={t("runs.column.cause")}
          clearable
          w={140}
          data={allCauses.map((value) => ({ value, label: t(`cause.${value}`) }))}
          value={filter.cause?.[0] ?? null}
          onChange={(cause) => onChange({ cause: words(cause, allCauses) })}
        />
        <SpanInput span={filter} from={t("runs.from")} to={t("runs.to")} onChange={onChange} />
      </Group>
      <Chip.Group
        multiple
        value={states}
        onChange={(chosen) => onChange({ state: words(chosen, allStates) })}
      >
        <Group gap={6}>
          {allStates.map((state) => (
            <Chip key={state} value={state} size="xs" color={stateColors[state]} variant="light">
              {t(`state.${state}`)}
            </Chip>
          ))}
        </Group>
      </Chip.Group>
    </Stack>
  );
}
