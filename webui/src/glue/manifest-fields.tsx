import { Checkbox, NumberInput, Stack, TagsInput, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useRight } from "../session/use-right";
import type { Job, Manifest } from "../api/types";
import { isScript } from "../jobs/choices";
import { valuesQuery } from "../secrets/values";
import { cleanManifest } from "./manifest";

const mebibyte = 1 << 20;
const kibibyte = 1 << 10;

interface Props {
  job: Job;
  manifest: Manifest;
  onChange: (manifest: Manifest) => void;
}

/** What the code may use: hosts, secrets, its own store, memory, processor time, log. */
export function ManifestFields({ job, manifest, onChange }: Props) {
  const { t } = useTranslation();
  const kept = useSecretNames(job.group_id);
  const chosen = manifest.secrets ?? [];
  const missing = kept === undefined ? [] : chosen.filter((name) => !kept.includes(name));
  const set = (change: Manifest) => onChange(cleanManifest({ ...manifest, ...change }));
  const limit = (field: "memory_bytes" | "cpu_seconds" | "log_bytes", unit: number) => ({
    size: "xs",
    min: 0,
    allowDecimal: false,
    placeholder: t("manifest.default"),
    value: manifest[field] ? manifest[field] / unit : "",
    onChange: (value: string | number) => set({ [field]: Number(value) * unit }),
  });
  return (
    <Stack gap="sm">
      <Text size="xs" c="dimmed">
        {t("manifest.text")}
      </Text>
      {isScript(job.glue_type) ? (
        <Text size="xs">{t("manifest.script")}</Text>
      ) : (
        <>
          <TagsInput
            size="xs"
            label={t("manifest.hosts")}
            description={t("manifest.hostsHint")}
            placeholder="api.example.com"
            value={manifest.hosts ?? []}
            onChange={(hosts) => set({ hosts })}
          />
          <TagsInput
            size="xs"
            label={t("manifest.secrets")}
            description={t("manifest.secretsHint")}
            data={kept}
            value={chosen}
            onChange={(secrets) => set({ secrets })}
          />
          {missing.length > 0 && (
            <Text size="xs" c="orange" role="status">
              {t("manifest.secretsMissing", { names: missing.join(", ") })}
            </Text>
          )}
          <Checkbox
            size="xs"
            label={t("manifest.kv")}
            checked={manifest.kv ?? false}
            onChange={(event) => set({ kv: event.currentTarget.checked })}
          />
        </>
      )}
      <NumberInput
        label={t("manifest.memory")}
        suffix=" MiB"
        {...limit("memory_bytes", mebibyte)}
      />
      <NumberInput label={t("manifest.cpu")} suffix=" s" {...limit("cpu_seconds", 1)} />
      <NumberInput label={t("manifest.log")} suffix=" KiB" {...limit("log_bytes", kibibyte)} />
    </Stack>
  );
}

/** The secrets that a group keeps; undefined for those who may not know. */
function useSecretNames(groupID: number): string[] | undefined {
  const maySee = useRight("secret.edit", groupID);
  const secrets = useQuery({ ...valuesQuery(groupID, "secrets"), enabled: maySee });
  return secrets.data?.map(({ name }) => name);
}
