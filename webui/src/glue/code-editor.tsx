import { indentWithTab } from "@codemirror/commands";
import { type Diagnostic, lintGutter, setDiagnostics } from "@codemirror/lint";
import { Compartment, EditorState, Prec } from "@codemirror/state";
import { EditorView, keymap } from "@codemirror/view";
import { basicSetup } from "codemirror";
import { useEffect, useEffectEvent, useRef } from "react";
import type { CodeError } from "./code-error";
import { editorTheme } from "./editor-theme";
import { loadLanguage } from "./languages";
import { typeOverSelection } from "./typing";

interface Props {
  value: string;
  glueType: string;
  label: string;
  errors: CodeError[];
  onChange: (value: string) => void;
  onPublish: () => void;
  onRun: () => void;
}

/** CodeMirror as a controlled input. Ctrl-S publishes, Ctrl-Enter runs. */
export function CodeEditor({ value, glueType, label, errors, onChange, onPublish, onRun }: Props) {
  const parent = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(null);
  const changed = useEffectEvent(onChange);
  const publish = useEffectEvent(onPublish);
  const run = useEffectEvent(onRun);
  const initial = useEffectEvent(() => value);

  useEffect(() => {
    if (!parent.current) return;
    const language = new Compartment();
    const shortcuts = [
      { key: "Mod-s", run: () => (publish(), true) },
      { key: "Mod-Enter", run: () => (run(), true) },
    ];
    const editor = new EditorView({
      parent: parent.current,
      state: EditorState.create({
        doc: initial(),
        extensions: [
          Prec.highest(keymap.of(shortcuts)),
          typeOverSelection,
          basicSetup,
          keymap.of([indentWithTab]),
          lintGutter(),
          language.of([]),
          editorTheme,
          EditorView.contentAttributes.of({ "aria-label": label }),
          EditorView.updateListener.of((update) => {
            if (update.docChanged) changed(update.state.doc.toString());
          }),
        ],
      }),
    });
    view.current = editor;
    void loadLanguage(glueType).then((extension) =>
      editor.dispatch({ effects: language.reconfigure(extension) }),
    );
    return () => editor.destroy();
  }, [glueType, label]);

  // Text that comes from elsewhere, such as a version that was taken over.
  useEffect(() => {
    const doc = view.current?.state.doc;
    if (!doc || doc.toString() === value) return;
    view.current?.dispatch({ changes: { from: 0, to: doc.length, insert: value } });
  }, [value]);

  useEffect(() => {
    const editor = view.current;
    if (!editor) return;
    const diagnostics = errors.map((error) => toDiagnostic(editor.state, error));
    editor.dispatch(setDiagnostics(editor.state, diagnostics));
    const first = diagnostics[0];
    if (!first) return;
    editor.dispatch({ selection: { anchor: first.from }, scrollIntoView: true });
    editor.focus();
  }, [errors]);

  return <div ref={parent} className="code-frame" style={{ height: "100%" }} />;
}

function toDiagnostic(state: EditorState, { line, column, message }: CodeError): Diagnostic {
  const place = state.doc.line(Math.min(Math.max(line, 1), state.doc.lines));
  const from = Math.min(place.from + Math.max(column - 1, 0), place.to);
  return { from, to: place.to, severity: "error", message };
}
