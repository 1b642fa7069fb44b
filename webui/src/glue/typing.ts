import { EditorView } from "@codemirror/view";

/**
 * Replaces selected text by what is typed, as CodeMirror would do after the browser has.
 * Chromium keeps the look of replaced text in a style attribute, which the page's
 * Content-Security-Policy refuses with an error in the console.
 */
export const typeOverSelection = EditorView.domEventHandlers({
  beforeinput(event, view) {
    const { data: text, inputType } = event;
    const { main } = view.state.selection;
    if (inputType !== "insertText" || !text || main.empty || view.composing) return false;
    event.preventDefault();
    const insert = () =>
      view.state.update(view.state.replaceSelection(text), {
        userEvent: "input.type",
        scrollIntoView: true,
      });
    const handlers = view.state.facet(EditorView.inputHandler);
    if (!handlers.some((handle) => handle(view, main.from, main.to, text, insert))) {
      view.dispatch(insert());
    }
    return true;
  },
});
