import { ActionIcon, Badge, Code, Table, Text } from "@mantine/core";
import { IconChevronDown, IconChevronRight } from "@tabler/icons-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { AuditFilter } from "../api/queries";
import type { AuditEntry } from "../api/types";
import { Instant } from "../ui/instant";
import { AnchorLink } from "../ui/links";
import { changesOf } from "./changes";

/** One entry; it opens to what was changed. */
export function AuditRow({ entry }: { entry: AuditEntry }) {
  const { t } = useTranslation();
  const [isOpen, setOpen] = useState(false);
  const changes = changesOf(entry.before, entry.after);
  const Icon = isOpen ? IconChevronDown : IconChevronRight;
  return (
    <>
      <Table.Tr>
        <Table.Td>
          <Instant at={entry.at} />
        </Table.Td>
        <Table.Td>
          <Text size="sm" span>
            {entry.actor}
          </Text>{" "}
          {entry.actor_kind !== "user" && (
            <Badge size="xs" variant="default">
              {t(`audit.kind.${entry.actor_kind}`)}
            </Badge>
          )}
        </Table.Td>
        <Table.Td>
          <Code>{entry.action}</Code>
        </Table.Td>
        <Table.Td>
          <AnchorLink
            to="/audit"
            search={objectOf(entry)}
            size="sm"
            title={t("audit.ofObject")}
          >
            {entry.object_type} {entry.object_id}{" "}
            {entry.object_name !== entry.object_id && entry.object_name}
          </AnchorLink>
        </Table.Td>
        <Table.Td>
          <Text size="sm">{entry.address}</Text>
        </Table.Td>
        <Table.Td ta="right">
          {changes.length > 0 && (
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-expanded={isOpen}
              aria-label={t("audit.showChanges")}
              onClick={() => setOpen(!isOpen)}
            >
              <Icon size={16} />
            </ActionIcon>
          )}
        </Table.Td>
      </Table.Tr>
      {isOpen && (
        <Table.Tr>
          <Table.Td colSpan={6}>
            <Table verticalSpacing={3} withRowBorders={false} layout="fixed">
              <Table.Tbody>
                {changes.map(({ field, before, after }) => (
                  <Table.Tr key={field}>
                    <Table.Th w={180}>{field}</Table.Th>
                    <Table.Td style={{ overflowWrap: "anywhere" }}>
                      <Text span size="sm" c="dimmed" td="line-through">
                        {before}
                      </Text>{" "}
                      {after}
                    </Table.Td>
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
          </Table.Td>
        </Table.Tr>
      )}
    </>
  );
}

/** The filter that finds all entries of the same object. */
function objectOf({ object_type, object_id, group_id }: AuditEntry): AuditFilter {
  // The names of values are those of their group.
  const isNamed = object_type === "secret" || object_type === "variable";
  return { object_type, object_id, group_id: isNamed ? (group_id ?? undefined) : undefined };
}
