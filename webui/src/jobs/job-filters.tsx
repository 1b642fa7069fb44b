import { Group, Select } from "@mantine/core";
import { IconSearch, IconTag } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import type { JobFilter } from "../api/queries";
import { FilterInput } from "../ui/filter-input";
import { GroupSelect } from "../ui/group-select";
import { word } from "../ui/search";
import { glueTitles, glueTypes } from "./choices";

interface Props {
  filter: JobFilter;
  onChange: (change: JobFilter) => void;
}

/** XXL-JOB's filters in its order: executor, status, name, handler, author. */
export function JobFilters({ filter, onChange }: Props) {
  const { t } = useTranslation();
  return (
    <Group mb="md" gap="xs" role="search" aria-label={t("filter.label")}>
      <GroupSelect
        aria-label={t("job.group_id")}
        placeholder={t("job.group_id")}
        clearable
        w={165}
        value={filter.group_id}
        onChange={(group_id) => onChange({ group_id })}
      />
      <Select
        aria-label={t("jobs.column.enabled")}
        placeholder={t("jobs.column.enabled")}
        clearable
        w={115}
        data={[
          { value: "true", label: t("jobs.running") },
          { value: "false", label: t("jobs.stopped") },
        ]}
        value={filter.enabled === undefined ? null : String(filter.enabled)}
        onChange={(value) => onChange({ enabled: value === null ? undefined : value === "true" })}
      />
      <FilterInput
        aria-label={t("job.name")}
        placeholder={t("jobs.searchName")}
        leftSection={<IconSearch size={16} />}
        w={170}
        value={filter.q}
        onChange={(q) => onChange({ q })}
      />
      <FilterInput
        aria-label={t("job.handler")}
        placeholder={t("job.handler")}
        w={130}
        value={filter.handler}
        onChange={(handler) => onChange({ handler })}
      />
      <FilterInput
        aria-label={t("job.author")}
        placeholder={t("job.author")}
        w={110}
        value={filter.author}
        onChange={(author) => onChange({ author })}
      />
      <FilterInput
        aria-label={t("job.tags")}
        placeholder={t("job.tags")}
        leftSection={<IconTag size={15} />}
        w={120}
        value={filter.tag}
        onChange={(tag) => onChange({ tag })}
      />
      <Select
        aria-label={t("job.glue_type")}
        placeholder={t("job.glue_type")}
        clearable
        w={160}
        data={glueTypes.map((value) => ({ value, label: glueTitles[value] }))}
        value={filter.glue_type ?? null}
        onChange={(value) => onChange({ glue_type: word(value, glueTypes) })}
      />
    </Group>
  );
}
