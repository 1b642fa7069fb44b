import { Button, type ButtonProps, Group, Paper, Text } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";
import { useNotify } from "../ui/notify";
import { SureButton } from "../ui/sure-button";

/** How a button on a card looks. */
export const cardButton = { size: "compact-sm", variant: "subtle" } satisfies ButtonProps;

interface Props {
  name: string;
  /** What stands beside the name. */
  badges: ReactNode;
  /** Buttons before those of every card. */
  actions?: ReactNode;
  renderDialog: (onClose: () => void) => ReactNode;
  remove: () => Promise<unknown>;
  /** Of the list that the card stands in. */
  queryKey: readonly string[];
}

/** A rule or a channel: what it is, and the buttons that change it. */
export function Card({ name, badges, actions, renderDialog, remove, queryKey }: Props) {
  const { t } = useTranslation();
  const notify = useNotify();
  const queryClient = useQueryClient();
  const [isEditing, setEditing] = useState(false);
  const removal = useMutation({
    mutationFn: remove,
    onSuccess: () => queryClient.invalidateQueries({ queryKey }),
    onError: notify.failed,
  });
  return (
    <Paper withBorder p="sm">
      <Group justify="space-between">
        <Group gap="xs">
          <Text fw={600}>{name}</Text>
          {badges}
        </Group>
        <Group gap={4}>
          {actions}
          <Button {...cardButton} onClick={() => setEditing(true)}>
            {t("action.edit")}
          </Button>
          <SureButton
            words={t("action.delete")}
            text={t("alarms.deleteText")}
            pending={removal.isPending}
            onConfirm={() => removal.mutate()}
          />
        </Group>
      </Group>
      {isEditing && renderDialog(() => setEditing(false))}
    </Paper>
  );
}
