import { Button, Group, Table, Text } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Instant } from "../ui/instant";
import { useNotify } from "../ui/notify";
import { SureButton } from "../ui/sure-button";
import { deleteValue, type NamedValue, type ValueKind, valuesQuery } from "./values";

interface Props {
  groupID: number;
  kind: ValueKind;
  item: NamedValue;
  onEdit: () => void;
}

export function ValueRow({ groupID, kind, item, onEdit }: Props) {
  const { t } = useTranslation();
  const notify = useNotify();
  const queryClient = useQueryClient();
  const remove = useMutation({
    mutationFn: () => deleteValue(groupID, kind, item),
    onError: notify.failed,
    onSettled: () =>
      queryClient.invalidateQueries({ queryKey: valuesQuery(groupID, kind).queryKey }),
  });
  return (
    <Table.Tr>
      <Table.Td>
        <Text size="sm" ff="monospace" fw={600}>
          {item.name}
        </Text>
      </Table.Td>
      <Table.Td maw={0} w="100%">
        <Text size="sm" className="clip">
          {item.value ?? "••••••"}
        </Text>
      </Table.Td>
      <Table.Td>
        <Text size="xs" c="dimmed" className="nowrap" component="div">
          {item.updated_by} · <Instant at={item.updated_at} size="xs" />
        </Text>
      </Table.Td>
      <Table.Td>
        <Group gap={4} wrap="nowrap" justify="flex-end">
          <Button
            size="compact-sm"
            variant="subtle"
            aria-label={t("secrets.editNamed", { name: item.name })}
            onClick={onEdit}
          >
            {t("action.edit")}
          </Button>
          <SureButton
            words={t("action.delete")}
            label={t("secrets.deleteNamed", { name: item.name })}
            text={t("secrets.deleteText")}
            pending={remove.isPending}
            onConfirm={() => remove.mutate()}
          />
        </Group>
      </Table.Td>
    </Table.Tr>
  );
}
