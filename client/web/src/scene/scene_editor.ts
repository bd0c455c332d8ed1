// SPDX-License-Identifier: Apache-2.0
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { json } from "@codemirror/lang-json";
import { bracketMatching, HighlightStyle, indentOnInput, syntaxHighlighting } from "@codemirror/language";
import { lintGutter, lintKeymap, setDiagnostics, type Diagnostic } from "@codemirror/lint";
import { EditorState } from "@codemirror/state";
import {
  Decoration, drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers, MatchDecorator, ViewPlugin, type DecorationSet,
  type ViewUpdate,
} from "@codemirror/view";
import { tags } from "@lezer/highlight";
import type { PlacedProblem } from "./scene_draft";

const highlight = HighlightStyle.define([
  { tag: tags.propertyName, color: "var(--code-key)" },
  { tag: tags.string, color: "var(--code-string)" },
  { tag: [tags.number, tags.bool, tags.null], color: "var(--code-number)" },
]);

/** Comments, which plain JSON does not know. Strings are matched to be passed over: they may hold slashes. */
const commentMatcher = new MatchDecorator({
  regexp: /"(?:[^"\\]|\\.)*"|\/\/.*|\/\*.*?\*\//g,
  decoration: ([text]) => (text.startsWith("/") ? Decoration.mark({ class: "scene-comment" }) : null),
});
const comments = ViewPlugin.fromClass(
  class {
    decorations: DecorationSet;
    constructor(view: EditorView) {
      this.decorations = commentMatcher.createDeco(view);
    }
    update(update: ViewUpdate): void {
      this.decorations = commentMatcher.updateDeco(update, this.decorations);
    }
  },
  { decorations: (plugin) => plugin.decorations },
);

/** A text editor for scenes, with problems at their fields. */
export class SceneEditor {
  private readonly view: EditorView;

  constructor(parent: HTMLElement, text: string, changed: (text: string) => void) {
    this.view = new EditorView({
      parent,
      state: EditorState.create({
        doc: text,
        extensions: [
          lineNumbers(), history(), drawSelection(), indentOnInput(), bracketMatching(), highlightActiveLine(), json(), comments, lintGutter(),
          syntaxHighlighting(highlight),
          keymap.of([...defaultKeymap, ...historyKeymap, ...lintKeymap]),
          EditorView.contentAttributes.of({ "aria-label": "Scene as JSON" }),
          EditorView.updateListener.of((update) => update.docChanged && changed(update.state.doc.toString())),
        ],
      }),
    });
  }

  setText(text: string): void {
    if (text === this.view.state.doc.toString()) return;
    this.view.dispatch({ changes: { from: 0, to: this.view.state.doc.length, insert: text }, scrollIntoView: true, selection: { anchor: 0 } });
  }

  /** Marks the problems; those of a text that has changed since stay where the text went. */
  setProblems(problems: readonly PlacedProblem[]): void {
    const { state } = this.view;
    const end = state.doc.length;
    const diagnostics = problems.map(({ span, message, isError }): Diagnostic => {
      const from = Math.min(span.from, end);
      // Only the first line of an object or array is marked.
      const to = Math.min(span.to, end, state.doc.lineAt(from).to);
      return { from, to, severity: isError ? "error" : "warning", message };
    });
    this.view.dispatch(setDiagnostics(state, diagnostics));
  }

  /** Puts the cursor at a place of the text and shows it. */
  goTo(place: number): void {
    const anchor = Math.min(place, this.view.state.doc.length);
    this.view.dispatch({ selection: { anchor }, effects: EditorView.scrollIntoView(anchor, { y: "center" }) });
    this.view.focus();
  }

  dispose(): void {
    this.view.destroy();
  }
}
