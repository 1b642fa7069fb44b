import { Badge, Button } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { api, unwrap } from "../api/client";
import { queries } from "../api/queries";
import type { AlarmChannel } from "../api/types";
import { inReadersLanguage } from "../i18n/server-words";
import { useNotify } from "../ui/notify";
import { Card, cardButton } from "./card";
import { CardList } from "./card-list";
import { ChannelModal } from "./channel-modal";

/** Where alarms go. */
export function ChannelList() {
  const { t } = useTranslation();
  const channels = useQuery(queries.alarmChannels());
  return (
    <CardList
      list={channels}
      addLabel={t("alarms.addChannel")}
      empty={{ title: t("alarms.noChannelTitle"), text: t("alarms.noChannelText") }}
      renderCard={(channel) => <ChannelCard key={channel.id} channel={channel} />}
      renderDialog={(close) => <ChannelModal onClose={close} />}
    />
  );
}

function ChannelCard({ channel }: { channel: AlarmChannel }) {
  const { t } = useTranslation();
  const notify = useNotify();
  const path = { params: { path: { id: channel.id } } };
  const test = useMutation({
    mutationFn: () => unwrap(api.POST("/alarm-channels/{id}/test", path)),
    onSuccess: async ({ ok, message }) => {
      const words = await inReadersLanguage(message);
      if (ok) notify.done(words);
      else notify.warn(words);
    },
    onError: notify.failed,
  });
  return (
    <Card
      name={channel.name}
      badges={<Badge variant="default">{t(`alarms.kind.${channel.kind}`)}</Badge>}
      actions={
        <Button {...cardButton} loading={test.isPending} onClick={() => test.mutate()}>
          {t("alarms.test")}
        </Button>
      }
      renderDialog={(close) => <ChannelModal channel={channel} onClose={close} />}
      remove={() => unwrap(api.DELETE("/alarm-channels/{id}", path))}
      queryKey={queries.alarmChannels().queryKey}
    />
  );
}
