import { Table, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { Manifest } from "../api/types";
import { manifestFields, sameManifest } from "./manifest";

/** What a version may do that another one may not; nothing when they are alike. */
export function ManifestDiff({
  before,
  after,
}: {
  before: Manifest | undefined;
  after: Manifest | undefined;
}) {
  const { t } = useTranslation();
  if (sameManifest(before, after)) return null;
  const changed = manifestFields.filter((field) => shown(before, field) !== shown(after, field));
  return (
    <Table verticalSpacing={4} aria-label={t("manifest.title")}>
      <Table.Tbody>
        {changed.map((field) => (
          <Table.Tr key={field}>
            <Table.Th w={160}>{t(`manifest.field.${field}`)}</Table.Th>
            <Table.Td>
              <Text span size="sm" td="line-through" c="dimmed">
                {shown(before, field)}
              </Text>{" "}
              → <b>{shown(after, field)}</b>
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

function shown(manifest: Manifest | undefined, field: (typeof manifestFields)[number]): string {
  const value = manifest?.[field];
  if (Array.isArray(value)) return value.join(", ") || "–";
  if (!value) return "–";
  return value === true ? "✓" : String(value);
}
