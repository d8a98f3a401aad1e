// The editor of the course in a browser tab: the parts of CodeMirror that it uses, behind one function.
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { python } from "@codemirror/lang-python";
import { bracketMatching, indentOnInput, indentUnit, syntaxHighlighting } from "@codemirror/language";
import { lintGutter, setDiagnostics } from "@codemirror/lint";
import { EditorState, Prec } from "@codemirror/state";
import { EditorView, drawSelection, highlightActiveLine, keymap, lineNumbers } from "@codemirror/view";
import { classHighlighter } from "@lezer/highlight";

// An editor of Python in `parent`. `changed` is called after each change, `check` for Ctrl-Enter.
window.codeEditor = ({ parent, label, text, changed, check }) => {
  const run = () => (check(), true);
  const state = (doc) =>
    EditorState.create({
      doc,
      extensions: [
        lineNumbers(), history(), drawSelection(), highlightActiveLine(), bracketMatching(), indentOnInput(),
        indentUnit.of("    "), python(), EditorView.lineWrapping, syntaxHighlighting(classHighlighter), lintGutter(),
        EditorView.contentAttributes.of({ "aria-label": label, tabindex: "0" }),
        Prec.highest(keymap.of([{ key: "Mod-Enter", run }])),
        keymap.of([...defaultKeymap, ...historyKeymap, indentWithTab]),
        EditorView.updateListener.of((update) => update.docChanged && changed(update.state.doc.toString())),
      ],
    });
  const view = new EditorView({ parent, state: state(text) });
  const line = (number) => view.state.doc.line(Math.min(Math.max(number, 1), view.state.doc.lines));
  return {
    text: () => view.state.doc.toString(),
    // Another file: what was undone before belongs to the file before.
    open: (doc) => (view.setState(state(doc)), changed(doc)),
    // Marks lines, each with a sentence.
    mark: (errors) =>
      view.dispatch(setDiagnostics(view.state, errors.map(([number, message]) => {
        const { from, to } = line(number);
        return { from, to, severity: "error", message };
      }))),
    show: (number) => {
      const { from } = line(number);
      view.dispatch({ selection: { anchor: from }, effects: EditorView.scrollIntoView(from, { y: "center" }) });
      view.focus();
    },
  };
};
