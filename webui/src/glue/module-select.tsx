import { Select } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { queries } from "../api/queries";
import type { Artifact } from "../api/types";
import { formatInstant } from "../time/zone";
import { formatBytes } from "../ui/bytes";
import { useZone } from "../ui/zone";

const typingPause = 200; // ms without a key after which modules are looked for
const digestLength = 19; // "sha256:" and as much as tells modules apart

interface Props {
  /** Of the module that is given now, if it is not the live one. */
  digest: string | undefined;
  onChange: (digest: string | undefined) => void;
}

/** Chooses a module that was uploaded before: by its digest, who brought it, and when. */
export function ModuleSelect({ digest, onChange }: Props) {
  const { t } = useTranslation();
  const zone = useZone();
  const [typed, setTyped] = useState("");
  const [asked] = useDebouncedValue(typed.trim(), typingPause);
  const words = ({ digest: sum, size_bytes, created_by, created_at }: Artifact) =>
    [
      sum.slice(0, digestLength),
      formatBytes(size_bytes),
      created_by,
      formatInstant(new Date(created_at), zone),
    ].join(" · ");
  const modules = useQuery(queries.artifacts(asked.includes("·") ? undefined : asked || undefined));
  const options = new Map(modules.data?.items.map((one) => [one.digest, words(one)]));
  if (digest !== undefined && !options.has(digest)) {
    options.set(digest, digest.slice(0, digestLength));
  }
  return (
    <Select
      label={t("module.earlier")}
      placeholder={t("module.earlierHint")}
      searchable
      clearable
      nothingFoundMessage={t("module.noneFound")}
      data={[...options].map(([value, label]) => ({ value, label }))}
      // The server has looked already.
      filter={({ options: found }) => found}
      onSearchChange={setTyped}
      value={digest ?? null}
      onChange={(value) => onChange(value ?? undefined)}
    />
  );
}
