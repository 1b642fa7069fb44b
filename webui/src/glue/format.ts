import { indentRange } from "@codemirror/language";
import type { EditorView } from "@codemirror/view";
import type { CodeLanguage } from "./code-language";

// Languages whose blocks CodeMirror can indent: of PowerShell it cannot, and in Python and
// WAT the blanks are the author's. Prettier refuses AssemblyScript's decorators.
const indented: readonly CodeLanguage[] = ["GLUE_LUA", "GLUE_PHP", "GLUE_GROOVY", "ASSEMBLYSCRIPT"];

const printed: Partial<Record<CodeLanguage, (source: string) => Promise<string>>> = {
  GLUE_JS: (source) => prettify(source, "babel"),
  GLUE_NODEJS: (source) => prettify(source, "babel"),
  GLUE_TS: (source) => prettify(source, "typescript"),
  GLUE_SHELL: printShell,
};

/** Whether formatCode does something for the language. */
export function canFormat(language: CodeLanguage): boolean {
  return indented.includes(language) || language in printed;
}

/**
 * Brings the text into shape: JavaScript and TypeScript by Prettier, shell as shfmt does,
 * others by their indentation. A text with a mistake is refused.
 */
export async function formatCode(view: EditorView, language: CodeLanguage): Promise<void> {
  const { state } = view;
  const print = printed[language];
  if (print) {
    const text = await print(state.doc.toString());
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

async function prettify(source: string, parser: "babel" | "typescript"): Promise<string> {
  const [prettier, estree, plugin] = await Promise.all([
    import("prettier/standalone"),
    import("prettier/plugins/estree"),
    parser === "typescript"
      ? import("prettier/plugins/typescript")
      : import("prettier/plugins/babel"),
  ]);
  return prettier.format(source, { parser, plugins: [plugin, estree], printWidth: 100 });
}

async function printShell(source: string): Promise<string> {
  const [{ getProcessor }, { default: wasm }] = await Promise.all([
    import("sh-syntax"),
    import("sh-syntax/main.wasm?url"),
    import("sh-syntax/vendors/wasm_exec"), // its own import of this is taken for one without effect
  ]);
  const print = getProcessor(() => fetch(wasm));
  return String(await print(source, { print: true, indent: 2, spaceRedirects: false }));
}
