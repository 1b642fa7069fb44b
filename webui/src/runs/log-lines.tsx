import { Fragment, memo, type ReactNode } from "react";
import { parseANSI } from "./ansi";
import type { LogChunk } from "./log-buffer";

/** Lines of a log in their colours, with what is searched for marked. */
export const LogLines = memo(function LogLines({ chunk, query }: Props) {
  return (
    <pre>
      {parseANSI(chunk.text).map((span, index) => {
        const text = query ? marked(span.text, query) : span.text;
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

interface Props {
  chunk: LogChunk;
  query: string;
}

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
