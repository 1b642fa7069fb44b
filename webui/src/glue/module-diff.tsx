import { Code, Skeleton, Table, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { queries } from "../api/queries";
import type { Artifact } from "../api/types";
import { formatBytes } from "../ui/bytes";
import { QueryError } from "../ui/query-error";
import { compareNames, type Inspection, readInspection } from "./inspection";

interface Side {
  label: string;
  /** Absent where there is no module yet. */
  digest: string | undefined;
}

/** What differs between two uploaded modules, of what was found in them. */
export function ModuleDiff({ before, after }: { before: Side; after: Side }) {
  const { t } = useTranslation();
  const old = useModule(before.digest);
  const next = useModule(after.digest);
  const error = old.error ?? next.error;
  if (before.digest === after.digest) {
    return (
      <Text size="sm" c="dimmed">
        {t("module.same")}
      </Text>
    );
  }
  if (error) {
    const again = () => void Promise.all([old.refetch(), next.refetch()]);
    return <QueryError error={error} onRetry={again} />;
  }
  if (old.isLoading || next.isLoading) return <Skeleton h={160} />;
  const a = factsOf(old.data);
  const b = factsOf(next.data);
  const memory = (found: Inspection["memory"]) =>
    found ? t(found.max ? "module.memoryRange" : "module.memoryFrom", found) : "–";
  return (
    <Table verticalSpacing={4} aria-label={t("module.changes")} layout="fixed">
      <Table.Thead>
        <Table.Tr>
          <Table.Td w={110} />
          <Table.Th>
            {t("module.before")} · {before.label}
          </Table.Th>
          <Table.Th>
            {t("module.after")} · {after.label}
          </Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        <Texts name={t("module.digest")} before={a.digest} after={b.digest} />
        <Texts name={t("module.size")} before={a.size} after={b.size} />
        <Names name={t("module.imports")} before={a.imports} after={b.imports} />
        <Names name={t("module.exports")} before={a.exports} after={b.exports} />
        <Texts name={t("module.memory")} before={memory(a.memory)} after={memory(b.memory)} />
      </Table.Tbody>
    </Table>
  );
}

function useModule(digest: string | undefined) {
  return useQuery({ ...queries.artifact(digest ?? ""), enabled: digest !== undefined });
}

function factsOf(artifact: Artifact | undefined) {
  return {
    digest: artifact?.digest ?? "–",
    size: artifact ? formatBytes(artifact.size_bytes) : "–",
    ...readInspection(artifact?.inspection ?? {}),
  };
}

function Texts({ name, before, after }: { name: string; before: string; after: string }) {
  const changed = before !== after;
  return (
    <Table.Tr>
      <Table.Th fw={500}>{name}</Table.Th>
      <Table.Td style={anywhere}>{before}</Table.Td>
      <Table.Td style={anywhere} fw={changed ? 700 : undefined}>
        {after}
      </Table.Td>
    </Table.Tr>
  );
}

const anywhere = { overflowWrap: "anywhere" } as const;

/** Lists of names: only what came or went is shown in full. */
function Names({ name, before, after }: { name: string; before: string[]; after: string[] }) {
  const { removed, added } = compareNames(before, after);
  return (
    <Table.Tr>
      <Table.Th fw={500}>{name}</Table.Th>
      <Table.Td style={anywhere}>
        <NameList count={before.length} sign="−" names={removed} />
      </Table.Td>
      <Table.Td style={anywhere}>
        <NameList count={after.length} sign="+" names={added} />
      </Table.Td>
    </Table.Tr>
  );
}

function NameList({ count, sign, names }: { count: number; sign: string; names: string[] }) {
  return (
    <>
      {count}
      {names.map((name) => (
        <Code key={name} display="block" mt={2}>
          {sign} {name}
        </Code>
      ))}
    </>
  );
}
