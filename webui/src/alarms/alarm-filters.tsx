import { Group, NumberInput, Select } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { type AlarmFilter, queries } from "../api/queries";
import { GroupSelect } from "../ui/group-select";
import { SpanInput } from "../ui/span-input";
import { id, word } from "../ui/search";
import { alarmStates } from "./choices";

interface Props {
  filter: AlarmFilter;
  onChange: (change: AlarmFilter) => void;
}

const named = (label: string) => ({ "aria-label": label, placeholder: label });

/** Which messages are listed: of a rule, a group or a job, how far they are, and when. */
export function AlarmFilters({ filter, onChange }: Props) {
  const { t } = useTranslation();
  const rules = useQuery(queries.alarmRules());
  return (
    <Group mb="md" gap="xs" role="search" aria-label={t("filter.label")}>
      <Select
        {...named(t("alarms.column.rule"))}
        w={180}
        searchable
        clearable
        data={(rules.data?.items ?? []).map((rule) => ({
          value: String(rule.id),
          label: rule.name,
        }))}
        value={filter.rule_id === undefined ? null : String(filter.rule_id)}
        onChange={(value) => onChange({ rule_id: id(value) })}
      />
      <GroupSelect
        {...named(t("job.group_id"))}
        w={180}
        clearable
        value={filter.group_id}
        onChange={(group_id) => onChange({ group_id })}
      />
      <NumberInput
        {...named(t("jobs.column.id"))}
        w={110}
        min={1}
        hideControls
        allowDecimal={false}
        value={filter.job_id ?? ""}
        onChange={(value) => onChange({ job_id: id(value) })}
      />
      <Select
        {...named(t("alarms.column.state"))}
        w={130}
        clearable
        data={alarmStates.map((state) => ({ value: state, label: t(`alarms.state.${state}`) }))}
        value={filter.state ?? null}
        onChange={(value) => onChange({ state: word(value, alarmStates) })}
      />
      <SpanInput
        span={filter}
        from={t("audit.filter.from")}
        to={t("audit.filter.to")}
        onChange={onChange}
      />
    </Group>
  );
}
