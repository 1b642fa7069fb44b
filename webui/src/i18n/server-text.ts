import type { Language } from "./language";
import { server } from "./zh-CN/server";

interface Pattern {
  regex: RegExp;
  chinese: string;
}

const verb = /%(?:(\d+)\$)?([dqsvwm])/g;

// The captured value of %q keeps its quotation marks.
const quoted = String.raw`("(?:[^"\\]|\\.)*"|\[".*?"\])`; // one, or a list of them
const shapes: Record<string, string> = { d: String.raw`(-?\d+)`, q: quoted };
const anything = String.raw`([\s\S]*?)`;

const exact = new Map(Object.entries(server));
let patterns: Pattern[] | undefined;

/** The server's text in a language; one that the catalogue does not know stays as it is. */
export function serverText(text: string, language: Language): string {
  return language === "en" ? text : (exact.get(text) ?? find(text) ?? text);
}

function find(text: string): string | undefined {
  // The server makes a sentence of some messages: it adds a capital and a full stop.
  const bare = text.slice(0, 1).toLowerCase() + text.slice(1).replace(/\.$/, "");
  const words = exact.get(bare) ?? fit(bare);
  if (words === undefined) return fit(text);
  return text.endsWith(".") ? `${words}。` : words;
}

function fit(text: string): string | undefined {
  patterns ??= compile();
  for (const { regex, chinese } of patterns) {
    const values = regex.exec(text)?.slice(1);
    if (values) return fill(chinese, values);
  }
  return undefined;
}

/** The one with the longest fixed text first: it says more than one that fits as well. */
function compile(): Pattern[] {
  return Object.entries(server)
    .filter(([english]) => english.search(verb) >= 0)
    .toSorted(([a], [b]) => fixedLength(b) - fixedLength(a))
    .map(([english, chinese]) => ({ regex: regexOf(english), chinese }));
}

const fixedLength = (english: string) => english.replaceAll(verb, "").length;

function regexOf(english: string): RegExp {
  let source = "";
  let end = 0;
  for (const match of english.matchAll(verb)) {
    source += escape(english.slice(end, match.index)) + (shapes[match[2] ?? ""] ?? anything);
    end = match.index + match[0].length;
  }
  return new RegExp(`^${source}${escape(english.slice(end))}$`);
}

const escape = (literal: string) => literal.replaceAll(/[.*+?^${}()|[\]\\/]/g, "\\$&");

function fill(chinese: string, values: string[]): string {
  let next = 0;
  return chinese.replaceAll(verb, (_, place: string | undefined, kind: string) => {
    const value = values[place ? Number(place) - 1 : next] ?? "";
    next++;
    return kind === "m" ? serverText(value, "zh-CN") : value;
  });
}
