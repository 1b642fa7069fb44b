import { indentWithTab } from "@codemirror/commands";
import { type Diagnostic, lintGutter, lintKeymap, setDiagnostics } from "@codemirror/lint";
import { Compartment, EditorState, type Extension, Prec } from "@codemirror/state";
import { EditorView, keymap } from "@codemirror/view";
import { basicSetup } from "codemirror";
import { type RefObject, useEffect, useEffectEvent, useRef } from "react";
import { useTranslation } from "react-i18next";
import { chooseLanguage } from "../i18n/language";
import type { CodeLanguage } from "./code-language";
import type { CodeProblem } from "./compile/problem";
import { editorTheme } from "./editor-theme";
import { assist } from "./gw-assist";
import { loadLanguage } from "./languages";
import { typeOverSelection } from "./typing";

interface Props {
  value: string;
  language: CodeLanguage;
  label: string;
  /** The editor has the focus when it opens. */
  focused: boolean;
  /** For those who may only look; it stays as it was at first. */
  isReadOnly?: boolean;
  /** Marked in the margin. */
  problems: readonly CodeProblem[];
  /** A problem to go to, whenever it is another one. */
  target: CodeProblem | undefined;
  /** Gets the editor, for what works on the text as a whole. */
  viewRef: RefObject<EditorView | null>;
  onChange: (value: string) => void;
  onPublish: () => void;
  onRun: () => void;
  onFormat: () => void;
}

/** CodeMirror as a controlled input. Ctrl-S publishes, Ctrl-Enter runs, Shift-Alt-F formats. */
export function CodeEditor({ value, language, label, focused, isReadOnly, problems, target, viewRef, ...on }: Props) {
  const { i18n } = useTranslation();
  const people = chooseLanguage(i18n.language, []);
  const parent = useRef<HTMLDivElement>(null);
  const mode = useRef(new Compartment());
  const changed = useEffectEvent(on.onChange);
  const publish = useEffectEvent(on.onPublish);
  const run = useEffectEvent(on.onRun);
  const format = useEffectEvent(on.onFormat);
  const initial = useEffectEvent(() => value);
  const first = useEffectEvent(() => EditorState.readOnly.of(Boolean(isReadOnly)));
  const begin = useEffectEvent((editor: EditorView) => focused && editor.focus());

  useEffect(() => {
    if (!parent.current) return;
    const shortcuts = [
      { key: "Mod-s", run: () => (publish(), true) },
      { key: "Mod-Enter", run: () => (run(), true) },
      { key: "Shift-Alt-f", run: () => (format(), true) },
    ];
    const editor = new EditorView({
      parent: parent.current,
      state: EditorState.create({
        doc: initial(),
        extensions: [
          Prec.highest(keymap.of(shortcuts)),
          typeOverSelection,
          basicSetup,
          first(),
          keymap.of([...lintKeymap, indentWithTab]),
          lintGutter(),
          mode.current.of([]),
          editorTheme,
          EditorView.contentAttributes.of({ "aria-label": label }),
          EditorView.updateListener.of((update) => {
            if (update.docChanged) changed(update.state.doc.toString());
          }),
        ],
      }),
    });
    viewRef.current = editor;
    begin(editor);
    return () => {
      viewRef.current = null;
      editor.destroy();
    };
  }, [label, viewRef]);

  useEffect(() => {
    let isCurrent = true;
    const use = (extension: Extension) =>
      viewRef.current?.dispatch({ effects: mode.current.reconfigure(extension) });
    void loadLanguage(language).then((highlighting) => {
      if (isCurrent) use([highlighting, assist(language, people)]);
    });
    return () => {
      isCurrent = false;
    };
  }, [language, people, label, viewRef]);

  // Text that comes from elsewhere, such as a version that was taken over.
  useEffect(() => {
    const doc = viewRef.current?.state.doc;
    if (!doc || doc.toString() === value) return;
    viewRef.current?.dispatch({ changes: { from: 0, to: doc.length, insert: value } });
  }, [value, viewRef]);

  useEffect(() => {
    const editor = viewRef.current;
    if (!editor) return;
    const diagnostics = problems.map((problem) => toDiagnostic(editor.state, problem));
    editor.dispatch(setDiagnostics(editor.state, diagnostics));
  }, [problems, viewRef]);

  useEffect(() => {
    const editor = viewRef.current;
    if (!editor || !target) return;
    const { from } = toDiagnostic(editor.state, target);
    editor.dispatch({ selection: { anchor: from }, scrollIntoView: true });
    editor.focus();
  }, [target, viewRef]);

  return <div ref={parent} className="code-frame" style={{ height: "100%" }} />;
}

function toDiagnostic(state: EditorState, { line, column, ...rest }: CodeProblem): Diagnostic {
  const place = state.doc.line(Math.min(Math.max(line, 1), state.doc.lines));
  const from = Math.min(place.from + Math.max(column - 1, 0), place.to);
  return { from, to: place.to, ...rest };
}
