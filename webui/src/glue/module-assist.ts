import type { Completion, CompletionContext, CompletionResult } from "@codemirror/autocomplete";
import type { EditorView } from "@codemirror/view";
import type { Language } from "../i18n/language";
import type { WasmLanguage } from "./compile/language";
import {
  assemblyScriptDeclaration,
  assemblyScriptImport,
  type ModuleFunction,
  moduleFunction,
  moduleFunctions,
  watImport,
  watSignature,
} from "./module-api";

/** How each of the two languages writes an import. */
const dialects = {
  ASSEMBLYSCRIPT: {
    whole: assemblyScriptImport,
    signature: assemblyScriptDeclaration,
    /** What an import begins with. */
    begin: /@\w*/,
    /** The name of a function in an import that is begun. */
    named: /@external\(\s*"gluewheel"\s*,\s*"\w*/,
    /** Imports of a text: the function's name, and how the text calls it. */
    imports:
      /@external\(\s*"gluewheel"\s*,\s*"(\w+)"\s*\)\s*(?:export\s+)?declare\s+function\s+(\w+)/g,
  },
  WAT: {
    whole: watImport,
    signature: watSignature,
    // Not every bracket: only what may become the word import.
    begin: /\(i\w*/,
    named: /\(import\s+"gluewheel"\s+"\w*/,
    imports: /\(import\s+"gluewheel"\s+"(\w+)"\s+\(func\s+(\$[^\s()]+)/g,
  },
};

/** What may be imported, as a whole import or as the name in one. */
export function completeImport(
  context: CompletionContext,
  language: WasmLanguage,
  people: Language,
): CompletionResult | null {
  const { named, begin, whole, signature } = dialects[language];
  const inside = context.matchBefore(named);
  if (inside) {
    return {
      from: inside.from + inside.text.lastIndexOf('"') + 1,
      options: moduleFunctions.map((f) => ({
        label: f.name,
        type: "function",
        detail: signature(f),
        info: f.text[people],
      })),
      validFor: /^\w*$/,
    };
  }
  const begun = context.matchBefore(begin);
  if (!begun) return null;
  return {
    from: begun.from,
    options: moduleFunctions.map((f) => toImport(f, whole(f), language, people)),
    validFor: language === "WAT" ? /^\(\w*$/ : /^@\w*$/,
  };
}

function toImport(
  f: ModuleFunction,
  text: string,
  language: WasmLanguage,
  people: Language,
): Completion {
  return {
    label: language === "WAT" ? `(import ${f.name}` : `@external ${f.name}`,
    type: "function",
    detail: "gluewheel",
    info: `${text}\n${f.text[people]}`,
    apply: (view: EditorView, _completion: Completion, from: number, to: number) => {
      // The editor has closed the bracket by itself.
      const isClosed = language === "WAT" && view.state.sliceDoc(to, to + 1) === ")";
      view.dispatch({
        changes: { from, to: isClosed ? to + 1 : to, insert: text },
        selection: { anchor: from + text.length },
        userEvent: "input.complete",
      });
    },
  };
}

/** The imported function that is named at a position of a line, and where its name stands. */
export function importedAt(source: string, line: string, offset: number, language: WasmLanguage) {
  const { imports } = dialects[language];
  const local = new Map<string, string>();
  for (const [, name = "", called = ""] of source.matchAll(imports)) local.set(called, name);
  const isImport = line.includes('"gluewheel"');
  for (const match of line.matchAll(/"\w+"|\$?\w+/g)) {
    const [word] = match;
    const end = match.index + word.length;
    if (offset < match.index || offset > end) continue;
    const name = word.startsWith('"') ? isImport && word.slice(1, -1) : local.get(word);
    const found = name ? moduleFunction(name) : undefined;
    if (found) return { found, from: match.index, to: end };
  }
  return undefined;
}

/** How a function is declared, for the help at the pointer. */
export function signatureOf(f: ModuleFunction, language: WasmLanguage): string {
  return dialects[language].signature(f);
}
