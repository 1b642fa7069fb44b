import { useIntersection } from "@mantine/hooks";
import { Fragment, memo, type ReactNode, type RefObject } from "react";
import { parseANSI } from "./ansi";
import type { LogChunk } from "./log-buffer";

const lineHeight = 20; // px, what a line takes unless it is wrapped
const markedAhead = "600px"; // how far from being seen a chunk has its marks

interface Props {
  chunk: LogChunk;
  query: string;
  /** A match in it is to be shown: its marks must be there before it is seen. */
  isWanted: boolean;
  /** The box in which it scrolls. */
  box: RefObject<HTMLElement | null>;
}

/** Lines of a log in their colours, with what is searched for marked where it is seen. */
export const LogLines = memo(function LogLines({ chunk, query, isWanted, box }: Props) {
  const { ref, entry } = useIntersection({ root: box.current, rootMargin: markedAhead });
  const isMarked = query !== "" && (isWanted || entry?.isIntersecting === true);
  return (
    <pre
      ref={ref}
      data-line={chunk.fromLine}
      style={{ containIntrinsicHeight: `auto ${chunk.lines * lineHeight}px` }}
    >
      {parseANSI(chunk.text).map((span, index) => {
        const text = isMarked ? marked(span.text, query) : span.text;
        // The parts of a chunk never change their order.
        // oxlint-disable-next-line react/no-array-index-key
        if (!span.color && !span.isBold) return <Fragment key={index}>{text}</Fragment>;
        return (
          <span
            // oxlint-disable-next-line react/no-array-index-key
            key={index}
            style={{
              color: span.color && `var(--mantine-color-${span.color}-4)`,
              fontWeight: span.isBold ? 700 : undefined,
            }}
          >
            {text}
          </span>
        );
      })}
    </pre>
  );
});

function marked(text: string, query: string): ReactNode {
  const lower = text.toLowerCase();
  const wanted = query.toLowerCase();
  const parts: ReactNode[] = [];
  let end = 0;
  for (let at = lower.indexOf(wanted); at >= 0; at = lower.indexOf(wanted, end)) {
    parts.push(text.slice(end, at), <mark key={at}>{text.slice(at, at + wanted.length)}</mark>);
    end = at + wanted.length;
  }
  return [...parts, text.slice(end)];
}
