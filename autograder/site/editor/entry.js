// The editor of the course in a browser tab, and zip files: what it uses of CodeMirror and of fflate.
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { python } from "@codemirror/lang-python";
import { bracketMatching, indentOnInput, indentUnit, syntaxHighlighting } from "@codemirror/language";
import { lintGutter, setDiagnostics } from "@codemirror/lint";
import { EditorState, Prec } from "@codemirror/state";
import { EditorView, drawSelection, highlightActiveLine, keymap, lineNumbers } from "@codemirror/view";
import { classHighlighter } from "@lezer/highlight";
import { strFromU8, strToU8, unzipSync, zipSync } from "fflate";

const MAX_TEXT_BYTES = 2 ** 20; // of a file in a zip; a lesson's file has 20 kB

// A zip of a student's work, in the layout of a handout: `texts` is lesson → text, `memory` what the pages store.
window.zipped = (texts, memory) => {
  const files = Object.entries(texts).map(([name, text]) => [`assignments/${name}/${name}.py`, text]);
  const content = [...files, ["memory.json", JSON.stringify(memory)]];
  return zipSync(Object.fromEntries(content.map(([path, text]) => [path, strToU8(text)])));
};

// The work in a zip, in whatever folders; an unreadable file has none.
window.unzipped = async (file, lessons) => {
  const nameOf = (path) => path.split("/").at(-1);
  const names = [...lessons.map((lesson) => `${lesson}.py`), "memory.json"];
  const filter = ({ name, originalSize }) => names.includes(nameOf(name)) && originalSize <= MAX_TEXT_BYTES;
  try {
    const contents = Object.entries(unzipSync(new Uint8Array(await file.arrayBuffer()), { filter }));
    const entries = contents.map(([path, bytes]) => [nameOf(path).replace(/\.py$/, ""), strFromU8(bytes)]);
    const { "memory.json": memory = "{}", ...texts } = Object.fromEntries(entries);
    return { texts, memory: JSON.parse(memory) };
  } catch {
    return { texts: {}, memory: {} };
  }
};

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
  // If the editor loses height, because the box above it grows, the caret stays on the screen.
  let height = 0;
  new ResizeObserver(([{ contentRect }]) => {
    const [shown, lost] = [view.scrollDOM.getBoundingClientRect(), height - contentRect.height];
    const caret = view.coordsAtPos(view.state.selection.main.head);
    const wasVisible = caret && caret.top >= shown.top && caret.bottom <= shown.bottom + lost;
    if (lost > 0 && wasVisible) view.dispatch({ effects: EditorView.scrollIntoView(view.state.selection.main.head) });
    height = contentRect.height;
  }).observe(view.scrollDOM);
  const line = (number) => view.state.doc.line(Math.min(Math.max(number, 1), view.state.doc.lines));
  return {
    text: () => view.state.doc.toString(),
    // Another file, from `origin`: what was undone before belongs to the file before.
    open: (doc, origin) => (view.setState(state(doc)), changed(doc, origin)),
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
