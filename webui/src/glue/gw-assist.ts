import {
  type Completion,
  type CompletionContext,
  type CompletionResult,
  completeAnyWord,
} from "@codemirror/autocomplete";
import { EditorState, type Extension } from "@codemirror/state";
import { type EditorView, hoverTooltip, type Tooltip } from "@codemirror/view";
import type { Language } from "../i18n/language";
import { type CodeLanguage, isCompiled } from "./code-language";
import type { WasmLanguage } from "./compile/language";
import { type HostFunction, hostFunction, hostFunctions } from "./gw-api";
import { completeImport, importedAt, signatureOf } from "./module-assist";

type Dialect = "lua" | "js";

/** How a language calls gw; absent for languages that run outside of the sandbox. */
export function dialectOf(language: CodeLanguage): Dialect | undefined {
  switch (language) {
    case "GLUE_LUA":
      return "lua";
    case "GLUE_JS":
    case "GLUE_TS":
      return "js";
    default:
      return undefined;
  }
}

/** Completion and help at the pointer for gw, and words of the text everywhere. */
export function assist(language: CodeLanguage, people: Language): Extension {
  const dialect = dialectOf(language);
  const words = EditorState.languageData.of(() => [{ autocomplete: completeAnyWord }]);
  if (isCompiled(language)) {
    const imports = (context: CompletionContext) => completeImport(context, language, people);
    return [
      EditorState.languageData.of(() => [{ autocomplete: imports }]),
      words,
      hoverTooltip((view, position) => importHelp(view, position, language, people)),
    ];
  }
  if (!dialect) return words;
  const source = (context: CompletionContext) => completeHost(context, dialect, people);
  return [
    EditorState.languageData.of(() => [{ autocomplete: source }]),
    words,
    hoverTooltip((view, position) => hostHelp(view, position, dialect, people)),
  ];
}

/** What may follow in "gw.", "gw.http." and the like. */
export function completeHost(
  context: CompletionContext,
  dialect: Dialect,
  people: Language,
): CompletionResult | null {
  const typed = context.matchBefore(/\bgw\.[\w.]*/);
  if (!typed) return null;
  return {
    from: typed.from + "gw.".length,
    options: hostFunctions.map((f) => toCompletion(f, dialect, people)),
    validFor: /^[\w.]*$/,
  };
}

function toCompletion(f: HostFunction, dialect: Dialect, people: Language): Completion {
  return {
    label: f.name,
    type: "function",
    detail: f[dialect].replace(/^(await )?gw\.[\w.]+/, ""),
    info: f.text[people],
    apply: `${f.name}(`,
  };
}

/** The function of gw that is named at a position of a line, and where its name stands. */
export function hostNameAt(line: string, offset: number) {
  for (const match of line.matchAll(/\bgw\.([a-z\d]+(?:\.[a-z]+)?)/g)) {
    const [whole, name = ""] = match;
    const end = match.index + whole.length;
    if (offset < match.index || offset > end) continue;
    const found = hostFunction(name);
    if (found) return { found, from: match.index, to: end };
  }
  return undefined;
}

function importHelp(
  { state }: EditorView,
  position: number,
  language: WasmLanguage,
  people: Language,
): Tooltip | null {
  const line = state.doc.lineAt(position);
  const at = importedAt(state.doc.toString(), line.text, position - line.from, language);
  if (!at) return null;
  return {
    pos: line.from + at.from,
    end: line.from + at.to,
    above: true,
    create: () => ({ dom: helpBox(signatureOf(at.found, language), at.found.text[people]) }),
  };
}

function hostHelp(
  view: EditorView,
  position: number,
  dialect: Dialect,
  people: Language,
): Tooltip | null {
  const line = view.state.doc.lineAt(position);
  const at = hostNameAt(line.text, position - line.from);
  if (!at) return null;
  return {
    pos: line.from + at.from,
    end: line.from + at.to,
    above: true,
    create: () => ({ dom: helpBox(at.found[dialect], at.found.text[people]) }),
  };
}

function helpBox(signature: string, text: string): HTMLElement {
  const box = document.createElement("div");
  box.className = "cm-gw-help";
  const code = document.createElement("code");
  code.textContent = signature;
  const words = document.createElement("div");
  words.textContent = text;
  box.append(code, words);
  return box;
}
