import { Badge, Button, Code, Group, Skeleton, Table, Text } from "@mantine/core";
import { IconDownload } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { queries } from "../api/queries";
import type { ArtifactDetail, ArtifactUse } from "../api/types";
import { formatBytes } from "../ui/bytes";
import { Instant } from "../ui/instant";
import { AnchorLink } from "../ui/links";
import { QueryError } from "../ui/query-error";
import { readInspection } from "./inspection";

const usesAge = 5000; // ms for which the list of versions that use a module counts as new

/** An uploaded module by its digest: what was found in it, and who uses it. */
export function ModuleFacts({ digest }: { digest: string }) {
  const artifact = useQuery({ ...queries.artifact(digest), staleTime: usesAge });
  if (artifact.error) {
    return <QueryError error={artifact.error} onRetry={() => void artifact.refetch()} />;
  }
  if (!artifact.data) return <Skeleton h={180} />;
  return <InspectionReport artifact={artifact.data} />;
}

function InspectionReport({ artifact }: { artifact: ArtifactDetail }) {
  const { t } = useTranslation();
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
          <Users uses={artifact.used_by} />
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

/** Versions of any job, each a link to itself. */
function Users({ uses }: { uses: ArtifactUse[] }) {
  const { t } = useTranslation();
  if (uses.length === 0) return t("module.unused");
  return (
    <Group gap="xs" mah={120} style={{ overflowY: "auto" }}>
      {uses.map(({ job_id, job_name, number }) => (
        <AnchorLink
          key={`${job_id} ${number}`}
          size="sm"
          to="/jobs/$jobID/glue"
          params={{ jobID: job_id }}
          search={{ tab: "versions", version: number }}
        >
          {job_name} v{number}
        </AnchorLink>
      ))}
    </Group>
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
