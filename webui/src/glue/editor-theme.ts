import { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { EditorView } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { cspNonce } from "../csp";

// The colours are Mantine's variables, so that the editor turns dark with the page.
const frame = EditorView.theme({
  "&": {
    fontSize: "13.5px",
    backgroundColor: "var(--mantine-color-body)",
    color: "var(--mantine-color-text)",
  },
  ".cm-scroller": { fontFamily: "var(--mantine-font-family-monospace)", lineHeight: "1.6" },
  ".cm-content": { caretColor: "var(--mantine-color-text)" },
  ".cm-cursor": { borderLeftColor: "var(--mantine-color-text)" },
  ".cm-gutters": {
    backgroundColor: "light-dark(var(--mantine-color-gray-0), var(--mantine-color-dark-8))",
    color: "var(--mantine-color-dimmed)",
    borderRight: "1px solid var(--mantine-color-default-border)",
  },
  ".cm-activeLine, .cm-activeLineGutter": {
    backgroundColor: "light-dark(rgba(0, 0, 0, 0.035), rgba(255, 255, 255, 0.045))",
  },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground":
    { backgroundColor: "light-dark(#bfe3ec, #1d4a57)" },
  ".cm-panels, .cm-tooltip": {
    backgroundColor: "var(--mantine-color-body)",
    color: "var(--mantine-color-text)",
    borderColor: "var(--mantine-color-default-border)",
  },
  ".cm-collapsedLines": {
    background: "var(--mantine-color-default-hover)",
    color: "var(--mantine-color-dimmed)",
  },
});

const colors = HighlightStyle.define([
  { tag: [tags.keyword, tags.modifier], color: "light-dark(#5f3dc4, var(--mantine-color-violet-3))" },
  {
    tag: [tags.string, tags.special(tags.string), tags.regexp],
    color: "light-dark(#1f6f31, var(--mantine-color-green-4))",
  },
  {
    tag: [tags.number, tags.bool, tags.atom, tags.null],
    color: "light-dark(#a83f00, var(--mantine-color-orange-4))",
  },
  { tag: tags.comment, color: "var(--mantine-color-dimmed)", fontStyle: "italic" },
  {
    tag: [tags.function(tags.variableName), tags.standard(tags.variableName), tags.typeName],
    color: "light-dark(#1864ab, var(--mantine-color-blue-3))",
  },
  {
    tag: [tags.definition(tags.variableName), tags.propertyName],
    color: "light-dark(#0b6578, var(--mantine-color-cyan-4))",
  },
  { tag: tags.invalid, color: "light-dark(#c92a2a, var(--mantine-color-red-4))" },
]);

/** Looks of every editor on the page, under the page's style nonce. */
export const editorTheme = [EditorView.cspNonce.of(cspNonce()), frame, syntaxHighlighting(colors)];
