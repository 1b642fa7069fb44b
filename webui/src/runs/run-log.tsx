import { Alert, Box, Button, Skeleton, Stack, Text } from "@mantine/core";
import { IconArrowDown, IconArrowUp } from "@tabler/icons-react";
import { useDebouncedValue } from "@mantine/hooks";
import { useLayoutEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { useErrorText } from "../ui/error-text";
import { ServerText } from "../ui/server-text";
import { holds } from "./log-buffer";
import { LogLines } from "./log-lines";
import { chunkOf, showLine } from "./log-place";
import { LogToolbar } from "./log-toolbar";
import { useLog } from "./use-log";
import { useLogSearch } from "./use-log-search";

const followSlack = 40; // px from the end that still count as being at the end
const readAhead = 1500; // px from an end of the window at which more is read
const typingPause = 250; // ms without a key after which the search begins
const linesAround = 50; // lines that are opened before a match

/**
 * The log of a run, growing while it is written; scrolling up stops the following. Of a
 * long one the page holds a window, which moves with the scrolling.
 */
export function RunLog({ runID, height = "55vh" }: { runID: number; height?: string }) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const log = useLog(runID);
  const { data } = log;
  const [wantsEnd, setWantsEnd] = useState(true);
  const [wanted, setWanted] = useState<number>(); // line of the match to be shown
  const [typed, setTyped] = useState("");
  const [query] = useDebouncedValue(typed.trim(), typingPause);
  const search = useLogSearch(runID, query, data);
  const box = useRef<HTMLDivElement>(null);
  const shown = useRef<number>(undefined);
  const isFollowing = wantsEnd && data?.isAtEnd !== false;

  useLayoutEffect(() => {
    if (isFollowing && box.current) box.current.scrollTop = box.current.scrollHeight;
  }, [isFollowing, data]);
  useLayoutEffect(() => {
    const chunk = data && wanted !== undefined && chunkOf(data.chunks, wanted);
    if (!chunk || !box.current || shown.current === wanted) return;
    shown.current = wanted;
    showLine(box.current, chunk, wanted, query);
  }, [data, wanted, query]);

  const onScroll = () => {
    if (!box.current || !data) return;
    const { scrollTop, scrollHeight, clientHeight } = box.current;
    const below = scrollHeight - scrollTop - clientHeight;
    setWantsEnd(data.isAtEnd && below < followSlack);
    if (scrollTop < readAhead && data.firstLine > 1) {
      // Browsers keep what is seen in its place, but not at the very top.
      if (scrollTop === 0) box.current.scrollTop = 1;
      log.extend("earlier");
    } else if (below < readAhead) log.extend("later");
  };
  const toEnd = () => {
    setWantsEnd(true);
    if (data?.isAtEnd === false) log.open("end");
  };
  const toStart = () => {
    setWantsEnd(false);
    if (data?.firstLine === 1) box.current?.scrollTo({ top: 0 });
    else log.open(1);
  };
  const toMatch = (step: number) => {
    const line = search.go(step);
    if (line === undefined || !data) return;
    setWantsEnd(false);
    setWanted(line);
    shown.current = undefined;
    if (!holds(data, line)) log.open(Math.max(1, line - linesAround));
  };

  return (
    <Stack gap="xs">
      <LogToolbar
        runID={runID}
        isWaiting={data !== undefined && data.isAtEnd && !data.isComplete}
        isFollowing={isFollowing}
        onFollow={(follow) => (follow ? toEnd() : setWantsEnd(false))}
        typed={typed}
        onType={setTyped}
        onStep={toMatch}
        search={query === "" ? undefined : search}
      />
      {log.error && <Alert color="yellow">{errorText(log.error)}</Alert>}
      {data?.note && (
        <Text size="sm" c="dimmed">
          <ServerText text={data.note} />
        </Text>
      )}
      {log.isPending && <Skeleton h={120} />}
      {data && (
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
            {data.firstLine > 1 && <em>{t("log.cut")}</em>}
            {data.chunks.map((chunk) => (
              <LogLines
                key={chunk.fromLine}
                chunk={chunk}
                query={query}
                isWanted={wanted !== undefined && chunkOf([chunk], wanted) !== undefined}
                box={box}
              />
            ))}
            {data.chunks.length === 0 && (
              <em>{t(data.isComplete ? "log.empty" : "log.nothingYet")}</em>
            )}
          </div>
          <Button.Group pos="absolute" bottom={10} right={22}>
            {data.firstLine > 1 && (
              <Button
                size="compact-xs"
                variant="default"
                leftSection={<IconArrowUp size={14} />}
                onClick={toStart}
              >
                {t("log.fromFirst")}
              </Button>
            )}
            {!isFollowing && (
              <Button
                size="compact-xs"
                leftSection={<IconArrowDown size={14} />}
                onClick={toEnd}
              >
                {t("log.toEnd")}
              </Button>
            )}
          </Button.Group>
        </Box>
      )}
    </Stack>
  );
}
