/** A stretch of text in one look. */
export interface Span {
  text: string;
  /** Mantine's colour; undefined for the log's own. */
  color: string | undefined;
  isBold: boolean;
}

// The eight colours of a terminal, by what Mantine calls them.
const colors = ["gray", "red", "green", "yellow", "blue", "grape", "cyan", "gray"];

// Colour sequences are read; every other escape sequence is dropped.
// oxlint-disable-next-line no-control-regex
const sequence = /\u001B(?:\[([\d;]*)m|\[[\d;?]*[A-Za-z]|\][^\u0007]*\u0007|[@-Z\\-_])/g;

/** Splits text at its terminal colours. */
export function parseANSI(text: string): Span[] {
  const spans: Span[] = [];
  let look: Omit<Span, "text"> = { color: undefined, isBold: false };
  let end = 0;
  const push = (part: string) => {
    if (part !== "") spans.push({ ...look, text: part });
  };
  for (const match of text.matchAll(sequence)) {
    push(text.slice(end, match.index));
    end = match.index + match[0].length;
    if (match[1] !== undefined) look = applySGR(look, match[1].split(";").map(Number));
  }
  push(text.slice(end));
  return spans;
}

function applySGR(look: Omit<Span, "text">, codes: number[]): Omit<Span, "text"> {
  let { color, isBold } = look;
  for (let i = 0; i < codes.length; i++) {
    const code = codes[i] ?? 0;
    if (code === 0) [color, isBold] = [undefined, false];
    else if (code === 1) isBold = true;
    else if (code === 22) isBold = false;
    else if (code >= 30 && code <= 37) color = colors[code - 30];
    else if (code >= 90 && code <= 97) color = colors[code - 90];
    else if (code === 39) color = undefined;
    // 38 and 48 bring their own numbers: 5 and an index, or 2 and three parts.
    else if (code === 38 || code === 48) i += codes[i + 1] === 5 ? 2 : 4;
  }
  return { color, isBold };
}
