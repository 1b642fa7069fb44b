import { Badge, Button, Code, Group, Skeleton, Table, Text } from "@mantine/core";
import { IconDownload } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { queries } from "../api/queries";
import type { Artifact } from "../api/types";
import { Instant } from "../ui/instant";
import { QueryError } from "../ui/query-error";
import { readInspection } from "./inspection";
import { formatBytes } from "../ui/bytes";

/** An uploaded module by its digest. */
export function ModuleFacts({ digest, jobID }: { digest: string; jobID: number }) {
  const artifact = useQuery(queries.artifact(digest));
  if (artifact.error) {
    return <QueryError error={artifact.error} onRetry={() => void artifact.refetch()} />;
  }
  if (!artifact.data) return <Skeleton h={180} />;
  return <InspectionReport artifact={artifact.data} jobID={jobID} />;
}

/** What was found in a module when it was uploaded. */
export function InspectionReport({ artifact, jobID }: { artifact: Artifact; jobID: number }) {
  const { t } = useTranslation();
  const versions = useQuery(queries.versions(jobID));
  const users = (versions.data?.items ?? []).filter(
    (version) => version.artifact === artifact.digest,
  );
  const { abi, imports, exports, memory } = readInspection(artifact.inspection);
  return (
    <Table variant="vertical" withRowBorders={false} verticalSpacing={6}>
      <Table.Tbody>
        <Fact name={t("module.digest")}>
          <Code style={{ overflowWrap: "anywhere" }}>{artifact.digest}</Code>
          <Button
            component="a"
            href={`/api/v1/artifacts/${artifact.digest}/content`}
            download
            size="compact-xs"
            variant="subtle"
            leftSection={<IconDownload size={14} />}
          >
            {t("module.download")}
          </Button>
        </Fact>
        <Fact name={t("module.size")}>{formatBytes(artifact.size_bytes)}</Fact>
        <Fact name={t("module.uploaded")}>
          {artifact.created_by} · <Instant at={artifact.created_at} />
        </Fact>
        <Fact name={t("module.usedBy")}>
          {users.map((version) => `v${version.number}`).join(", ") || t("module.unused")}
        </Fact>
        <Fact name={t("module.abi")}>{abi ?? "–"}</Fact>
        <Fact name={t("module.memory")}>
          {memory ? t(memory.max ? "module.memoryRange" : "module.memoryFrom", memory) : "–"}
        </Fact>
        <Fact name={t("module.imports")}>
          <Names names={imports} />
        </Fact>
        <Fact name={t("module.exports")}>
          <Names names={exports} />
        </Fact>
      </Table.Tbody>
    </Table>
  );
}

function Names({ names }: { names: string[] }) {
  if (names.length === 0) return "–";
  return (
    <Group gap={4}>
      {names.map((name) => (
        <Badge key={name} variant="default" size="sm" ff="monospace" fw={400}>
          {name}
        </Badge>
      ))}
    </Group>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <Table.Tr>
      <Table.Th w={130} fw={500} c="dimmed" bg="transparent">
        {name}
      </Table.Th>
      <Table.Td>
        <Text size="sm" component="div">
          {children}
        </Text>
      </Table.Td>
    </Table.Tr>
  );
}
