import { Alert, Box, Button, Group, Skeleton, Stack, Switch, Text, Title } from "@mantine/core";
import { IconArrowDown } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useLayoutEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { logQuery } from "./log-query";
import { useErrorText } from "../ui/error-text";

const followSlack = 40; // px from the end that still count as being at the end

/** The log of a run, growing while it is written; scrolling up stops the following. */
export function RunLog({ runID, height = "55vh" }: { runID: number; height?: string }) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const log = useQuery(logQuery(runID));
  const [isFollowing, setFollowing] = useState(true);
  const box = useRef<HTMLDivElement>(null);

  useLayoutEffect(() => {
    if (isFollowing && box.current) box.current.scrollTop = box.current.scrollHeight;
  }, [isFollowing, log.data]);
  const onScroll = () => {
    const { scrollTop, scrollHeight, clientHeight } = box.current ?? document.body;
    setFollowing(scrollHeight - scrollTop - clientHeight < followSlack);
  };

  return (
    <Stack gap="xs">
      <Group justify="space-between">
        <Title order={2} size="h5">
          {t("log.title")}
        </Title>
        {log.data && !log.data.isComplete && (
          <Text size="xs" c="dimmed" role="status">
            {t("log.waiting")}
          </Text>
        )}
        <Switch
          size="xs"
          label={t("log.follow")}
          checked={isFollowing}
          onChange={(event) => setFollowing(event.currentTarget.checked)}
        />
      </Group>
      {log.error && <Alert color="yellow">{errorText(log.error)}</Alert>}
      {log.data?.note && (
        <Text size="sm" c="dimmed">
          {log.data.note}
        </Text>
      )}
      {log.isPending && <Skeleton h={120} />}
      {log.data && (
        <Box pos="relative">
          <div
            ref={box}
            className="log"
            style={{ maxHeight: height, minHeight: 120 }}
            onScroll={onScroll}
            role="log"
            aria-label={t("log.title")}
            // A scrolling region must be reachable by keyboard.
            // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
            tabIndex={0}
          >
            {log.data.isCut && <em>{t("log.cut")}</em>}
            {log.data.chunks.map((chunk) => (
              <pre key={chunk.fromLine}>{chunk.text}</pre>
            ))}
            {log.data.chunks.length === 0 && (
              <em>{t(log.data.isComplete ? "log.empty" : "log.nothingYet")}</em>
            )}
          </div>
          {!isFollowing && (
            <Button
              size="compact-xs"
              pos="absolute"
              bottom={10}
              right={22}
              leftSection={<IconArrowDown size={14} />}
              onClick={() => setFollowing(true)}
            >
              {t("log.toEnd")}
            </Button>
          )}
        </Box>
      )}
    </Stack>
  );
}
