import {
  ActionIcon,
  Alert,
  Box,
  Button,
  Group,
  Skeleton,
  Stack,
  Switch,
  Text,
  TextInput,
  Title,
  Tooltip,
} from "@mantine/core";
import { IconArrowDown, IconDownload, IconSearch } from "@tabler/icons-react";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useDebouncedValue } from "@mantine/hooks";
import { useLayoutEffect, useMemo, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { useErrorText } from "../ui/error-text";
import { useNotify } from "../ui/notify";
import { downloadLog } from "./log-download";
import { countMatches, type LogChunk } from "./log-buffer";
import { LogLines } from "./log-lines";
import { logQuery, type LogStart } from "./log-query";

const followSlack = 40; // px from the end that still count as being at the end
const typingPause = 250; // ms without a key after which the search begins

const noChunks: LogChunk[] = [];

/** The log of a run, growing while it is written; scrolling up stops the following. */
export function RunLog({ runID, height = "55vh" }: { runID: number; height?: string }) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const [start, setStart] = useState<LogStart>("end");
  const log = useQuery(logQuery(runID, start));
  const [isFollowing, setFollowing] = useState(true);
  const [typed, setTyped] = useState("");
  const [query] = useDebouncedValue(typed.trim(), typingPause);
  const box = useRef<HTMLDivElement>(null);
  const search = useLogSearch(box, query, log.data?.chunks ?? noChunks, () => setFollowing(false));

  useLayoutEffect(() => {
    if (isFollowing && box.current) box.current.scrollTop = box.current.scrollHeight;
  }, [isFollowing, log.data]);
  const onScroll = () => {
    const { scrollTop, scrollHeight, clientHeight } = box.current ?? document.body;
    setFollowing(scrollHeight - scrollTop - clientHeight < followSlack);
  };

  return (
    <Stack gap="xs">
      <Group justify="space-between" gap="xs">
        <Group gap="xs">
          <Title order={2} size="h5">
            {t("log.title")}
          </Title>
          {log.data && !log.data.isComplete && (
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
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
            onKeyDown={(event) => event.key === "Enter" && search.go(event.shiftKey ? -1 : 1)}
          />
          {query !== "" && (
            <Text size="xs" c="dimmed" role="status">
              {t("log.found", { at: search.at, found: search.found })}
            </Text>
          )}
          <Switch
            size="xs"
            label={t("log.follow")}
            checked={isFollowing}
            onChange={(event) => setFollowing(event.currentTarget.checked)}
          />
          <DownloadButton runID={runID} />
        </Group>
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
            {log.data.isCut && (
              <Group gap="xs" mb={4}>
                <em>{t("log.cut")}</em>
                {start === "end" && (
                  <Button
                    size="compact-xs"
                    variant="default"
                    onClick={() => {
                      setStart("first");
                      setFollowing(false);
                    }}
                  >
                    {t("log.fromFirst")}
                  </Button>
                )}
              </Group>
            )}
            {log.data.chunks.map((chunk) => (
              <LogLines key={chunk.fromLine} chunk={chunk} query={query} />
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

/** Walks through the marks in a log. */
function useLogSearch(
  box: React.RefObject<HTMLDivElement | null>,
  query: string,
  chunks: LogChunk[],
  onJump: () => void,
) {
  const [place, setPlace] = useState({ query, at: 0 });
  const found = useMemo(() => countMatches(chunks, query), [chunks, query]);
  const at = place.query === query ? place.at : 0;
  const go = (step: number) => {
    const marks = box.current?.querySelectorAll("mark") ?? [];
    if (marks.length === 0) return;
    const next = (at - 1 + step + marks.length) % marks.length;
    marks[next]?.scrollIntoView({ block: "center" });
    setPlace({ query, at: next + 1 });
    onJump();
  };
  return { at, found, go };
}
