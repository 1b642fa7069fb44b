import { ActionIcon, Group, Switch, Text, TextInput, Title, Tooltip } from "@mantine/core";
import { IconDownload, IconSearch } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useNotify } from "../ui/notify";
import { downloadLog } from "./log-download";

interface Props {
  runID: number;
  /** More may be written. */
  isWaiting: boolean;
  isFollowing: boolean;
  onFollow: (follow: boolean) => void;
  typed: string;
  onType: (text: string) => void;
  /** Goes to the next match, or with -1 to the one before. */
  onStep: (step: 1 | -1) => void;
  /** What was found; absent while nothing is searched for. */
  search: { at: number; found: number; isSearching: boolean } | undefined;
}

/** What can be done with a log. */
export function LogToolbar({ runID, search, ...props }: Props) {
  const { t } = useTranslation();
  return (
    <Group justify="space-between" gap="xs">
      <Group gap="xs">
        <Title order={2} size="h5">
          {t("log.title")}
        </Title>
        {props.isWaiting && (
          <Text size="xs" c="dimmed" role="status">
            {t("log.waiting")}
          </Text>
        )}
      </Group>
      <Group gap="xs">
        <TextInput
          size="xs"
          w={150}
          aria-label={t("log.search")}
          placeholder={t("log.search")}
          leftSection={<IconSearch size={14} />}
          maxLength={200}
          value={props.typed}
          onChange={(event) => props.onType(event.currentTarget.value)}
          onKeyDown={(event) => event.key === "Enter" && props.onStep(event.shiftKey ? -1 : 1)}
        />
        {search && (
          <Text size="xs" c="dimmed" role="status">
            {t(search.isSearching ? "log.searching" : "log.found", {
              at: search.at,
              found: search.found,
            })}
          </Text>
        )}
        <Switch
          size="xs"
          label={t("log.follow")}
          checked={props.isFollowing}
          onChange={(event) => props.onFollow(event.currentTarget.checked)}
        />
        <DownloadButton runID={runID} />
      </Group>
    </Group>
  );
}

function DownloadButton({ runID }: { runID: number }) {
  const { t } = useTranslation();
  const notify = useNotify();
  const download = useMutation({ mutationFn: () => downloadLog(runID), onError: notify.failed });
  return (
    <Tooltip label={t("log.download")}>
      <ActionIcon
        variant="subtle"
        aria-label={t("log.download")}
        loading={download.isPending}
        onClick={() => download.mutate()}
      >
        <IconDownload size={16} />
      </ActionIcon>
    </Tooltip>
  );
}
