import { Badge, Button, Group, Paper, Skeleton, Stack, Text } from "@mantine/core";
import { IconBell, IconPlus } from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { api, unwrap } from "../api/client";
import { queries } from "../api/queries";
import type { AlarmChannel } from "../api/types";
import { Empty } from "../ui/empty";
import { useNotify } from "../ui/notify";
import { QueryError } from "../ui/query-error";
import { ChannelModal } from "./channel-modal";

/** Where alarms go. */
export function ChannelList() {
  const { t } = useTranslation();
  const channels = useQuery(queries.alarmChannels());
  const [isAdding, setAdding] = useState(false);
  const addButton = (
    <Button leftSection={<IconPlus size={16} />} onClick={() => setAdding(true)}>
      {t("alarms.addChannel")}
    </Button>
  );
  if (channels.error) {
    return <QueryError error={channels.error} onRetry={() => void channels.refetch()} />;
  }
  if (!channels.data) return <Skeleton h={120} />;
  return (
    <Stack>
      {channels.data.items.length === 0 ? (
        <Empty
          icon={<IconBell />}
          title={t("alarms.noChannelTitle")}
          text={t("alarms.noChannelText")}
          actions={addButton}
        />
      ) : (
        <Group>{addButton}</Group>
      )}
      {channels.data.items.map((channel) => (
        <ChannelCard key={channel.id} channel={channel} />
      ))}
      {isAdding && <ChannelModal onClose={() => setAdding(false)} />}
    </Stack>
  );
}

function ChannelCard({ channel }: { channel: AlarmChannel }) {
  const { t } = useTranslation();
  const notify = useNotify();
  const queryClient = useQueryClient();
  const [isEditing, setEditing] = useState(false);
  const path = { params: { path: { id: channel.id } } };
  const test = useMutation({
    mutationFn: () => unwrap(api.POST("/alarm-channels/{id}/test", path)),
    onSuccess: ({ ok, message }) => (ok ? notify.done(message) : notify.warn(message)),
    onError: notify.failed,
  });
  const remove = useMutation({
    mutationFn: () => unwrap(api.DELETE("/alarm-channels/{id}", path)),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ["alarm-channels"] }),
    onError: notify.failed,
  });
  const button = { size: "compact-sm", variant: "subtle" } as const;
  return (
    <Paper withBorder p="sm">
      <Group justify="space-between">
        <Group gap="xs">
          <Text fw={600}>{channel.name}</Text>
          <Badge variant="default">{t(`alarms.kind.${channel.kind}`)}</Badge>
        </Group>
        <Group gap={4}>
          <Button {...button} loading={test.isPending} onClick={() => test.mutate()}>
            {t("alarms.test")}
          </Button>
          <Button {...button} onClick={() => setEditing(true)}>
            {t("action.edit")}
          </Button>
          <Button
            {...button}
            color="red"
            loading={remove.isPending}
            onClick={() => remove.mutate()}
          >
            {t("action.delete")}
          </Button>
        </Group>
      </Group>
      {isEditing && <ChannelModal channel={channel} onClose={() => setEditing(false)} />}
    </Paper>
  );
}
