import { indentRange } from "@codemirror/language";
import type { EditorView } from "@codemirror/view";
import type { CodeLanguage } from "./code-language";

// Languages whose blocks CodeMirror can indent: of shell and PowerShell it cannot, and in
// Python and WAT the blanks are the author's.
const indented: readonly CodeLanguage[] = ["GLUE_LUA", "GLUE_PHP", "GLUE_GROOVY"];
const prettified: readonly CodeLanguage[] = ["GLUE_JS", "GLUE_TS", "GLUE_NODEJS"];

/** Whether formatCode does something for the language. */
export function canFormat(language: CodeLanguage): boolean {
  return indented.includes(language) || prettified.includes(language);
}

/** Brings the text into shape: JavaScript by Prettier, others by their indentation. */
export async function formatCode(view: EditorView, language: CodeLanguage): Promise<void> {
  const { state } = view;
  if (prettified.includes(language)) {
    const text = await prettify(state.doc.toString(), language);
    // What was typed meanwhile is worth more.
    if (view.state.doc !== state.doc || text === state.doc.toString()) return;
    const head = Math.min(state.selection.main.head, text.length);
    view.dispatch({
      changes: { from: 0, to: state.doc.length, insert: text },
      selection: { anchor: head },
    });
  } else {
    view.dispatch({ changes: indentRange(state, 0, state.doc.length) });
  }
}

async function prettify(source: string, language: CodeLanguage): Promise<string> {
  const [prettier, estree, parser] = await Promise.all([
    import("prettier/standalone"),
    import("prettier/plugins/estree"),
    language === "GLUE_TS"
      ? import("prettier/plugins/typescript")
      : import("prettier/plugins/babel"),
  ]);
  return prettier.format(source, {
    parser: language === "GLUE_TS" ? "typescript" : "babel",
    plugins: [parser, estree],
    printWidth: 100,
  });
}
