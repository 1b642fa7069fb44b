import { Badge, Code, Group, Table, Text, Tooltip } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { Executor } from "../api/types";
import { glueTitle } from "../jobs/choices";
import { Instant } from "../ui/instant";

/** The nodes of a group; an empty one says how to get the first. */
export function NodeTable({ nodes, appName }: { nodes: Executor[]; appName: string }) {
  const { t } = useTranslation();
  if (nodes.length === 0) {
    return (
      <Text size="sm" c="dimmed" component="div">
        {t("executors.noNodes")} {t("executors.startOne")}{" "}
        <Code>{`gluewheel executor --admin-addresses ${location.origin} --app-name ${appName}`}</Code>
      </Text>
    );
  }
  return (
    <Table.ScrollContainer type="native" minWidth={900}>
      <Table verticalSpacing={6}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t("executors.address")}</Table.Th>
            <Table.Th>{t("executors.state")}</Table.Th>
            <Table.Th>{t("executors.kind")}</Table.Th>
            <Table.Th>{t("executors.engines")}</Table.Th>
            <Table.Th>JobHandler</Table.Th>
            <Table.Th>{t("executors.heartbeat")}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {nodes.map((node) => (
            <Table.Tr key={node.address}>
              <Table.Td>
                <Text size="sm" ff="monospace">
                  {node.address}
                </Text>
              </Table.Td>
              <Table.Td>
                <Badge color={node.alive ? "teal" : "red"} variant="light">
                  {t(node.alive ? "executors.alive" : "executors.dead")}
                </Badge>
              </Table.Td>
              <Table.Td>
                <Text size="sm">
                  {node.dialect === "gluewheel" ? `gluewheel ${node.version}` : "XXL-JOB"}
                </Text>
              </Table.Td>
              <Table.Td>
                <Tooltip
                  multiline
                  maw={420}
                  disabled={node.notes.length === 0}
                  label={node.notes.join(" · ")}
                >
                  <Group gap={4}>
                    {node.engines.map((engine) => (
                      <Badge key={engine} variant="default" size="sm">
                        {glueTitle(engine)}
                      </Badge>
                    ))}
                    {node.engines.length === 0 && "–"}
                  </Group>
                </Tooltip>
              </Table.Td>
              <Table.Td maw={260}>
                <Text size="sm" className="clip" title={node.handlers.join("\n")}>
                  {node.handlers.join(", ") || "–"}
                </Text>
              </Table.Td>
              <Table.Td>
                <Instant at={node.heartbeat_at} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
