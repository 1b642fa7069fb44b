import { Select } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { queries, type RunFilter } from "../api/queries";
import { id } from "../ui/search";

const typingPause = 200; // ms without a key after which jobs are looked for
const partMark = "part:"; // before a part of a name, among ids

interface Props {
  filter: RunFilter;
  /** Of the job that is chosen; absent while it is not known. */
  jobName: string | undefined;
  onChange: (change: Pick<RunFilter, "job_id" | "q">) => void;
}

/**
 * Chooses a job of the executor by its name, as XXL-JOB does, or by its id; or all jobs with
 * the same part in their names.
 */
export function JobSelect({ filter, jobName, onChange }: Props) {
  const { t } = useTranslation();
  const { group_id, job_id, q } = filter;
  const [isOpen, setOpen] = useState(false);
  const [typed, setTyped] = useState("");
  const [asked] = useDebouncedValue(typed.trim(), typingPause);
  const part = (text: string) => [`${partMark}${text}`, t("runs.nameHas", { text })] as const;
  const chosen =
    job_id !== undefined
      ? ([String(job_id), jobLabel(job_id, jobName)] as const)
      : q !== undefined && part(q);
  // What is chosen stands where one types.
  const text = chosen && asked === chosen[1].trim() ? "" : asked;
  const jobs = useQuery({
    ...queries.jobChoices({ group_id, q: text || undefined }),
    enabled: isOpen,
  });
  const typedID = id(text);
  const options = new Map([
    ...(text ? [part(text)] : []),
    ...(typedID ? [[String(typedID), jobLabel(typedID)] as const] : []),
    ...(jobs.data?.items ?? []).map((job) => [String(job.id), jobLabel(job.id, job.name)] as const),
    ...(chosen ? [chosen] : []),
  ]);
  return (
    <Select
      aria-label={t("runs.column.job")}
      placeholder={t("runs.column.job")}
      w={250}
      searchable
      clearable
      data={[...options].map(([value, label]) => ({ value, label }))}
      // The server has looked already.
      filter={({ options: found }) => found}
      onSearchChange={setTyped}
      onDropdownOpen={() => setOpen(true)}
      onDropdownClose={() => setOpen(false)}
      onFocus={(event) => event.currentTarget.select()}
      value={chosen ? chosen[0] : null}
      onChange={(value) =>
        onChange(
          value?.startsWith(partMark)
            ? { job_id: undefined, q: value.slice(partMark.length) }
            : { job_id: id(value), q: undefined },
        )
      }
    />
  );
}

/** A job as the list writes it. */
function jobLabel(jobID: number, name = ""): string {
  return `【${jobID}】${name}`;
}
