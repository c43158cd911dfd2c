/** The element `<sql-editor>`: CodeMirror with Flink's words. Its shadow root takes its styles without inline ones. */

import * as cm from "../../vendor/codemirror/codemirror.js";

const { tags } = cm;

const THEME = cm.EditorView.theme({
  "&": { height: "100%", color: "var(--text)", backgroundColor: "var(--surface)", fontSize: "13px", borderRadius: "var(--radius)" },
  "&.cm-focused": { outline: "2px solid var(--accent)", outlineOffset: "1px" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.55", overflow: "auto" },
  ".cm-content": { caretColor: "var(--text)", padding: "8px 0" },
  ".cm-gutters": { color: "var(--muted)", backgroundColor: "var(--surface)", border: "0", borderRight: "1px solid var(--line)", borderRadius: "var(--radius) 0 0 var(--radius)" },
  ".cm-activeLine": { backgroundColor: "color-mix(in srgb, var(--accent-soft) 35%, transparent)" },
  ".cm-activeLineGutter": { color: "var(--text)", backgroundColor: "var(--accent-soft)" },
  ".cm-cursor": { borderLeftColor: "var(--text)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": { background: "color-mix(in srgb, var(--accent) 28%, transparent)" },
  "&.cm-focused .cm-matchingBracket": { backgroundColor: "var(--accent-soft)", outline: "1px solid var(--accent)" },
  ".cm-selectionMatch": { backgroundColor: "var(--calm-soft)" },
  ".cm-placeholder": { color: "var(--muted)" },
  ".cm-tooltip": { color: "var(--text)", backgroundColor: "var(--raised)", border: "1px solid var(--line-strong)", borderRadius: "6px", boxShadow: "var(--shadow)" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li": { padding: "2px 8px", lineHeight: "1.5" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]": { color: "var(--on-accent)", backgroundColor: "var(--accent)" },
  ".cm-diagnostic": { padding: "6px 10px", fontFamily: "var(--sans)", maxWidth: "60ch", whiteSpace: "pre-wrap" },
  ".cm-diagnostic-error": { borderLeftColor: "var(--bad)" },
  // The icons of CodeMirror are data URLs, which the Content-Security-Policy refuses.
  ".cm-lint-marker-error": { content: "'●'", color: "var(--bad)", lineHeight: "1" },
  ".cm-lintRange-error": { backgroundImage: "none", textDecoration: "underline wavy var(--bad)", textUnderlineOffset: "3px" },
  ".cm-panels": { color: "var(--text)", backgroundColor: "var(--ground)", borderColor: "var(--line)" },
  ".cm-textfield, .cm-button": { color: "var(--text)", backgroundColor: "var(--surface)", backgroundImage: "none", borderColor: "var(--line-strong)" },
});

const COLOURS = cm.HighlightStyle.define([
  { tag: [tags.keyword, tags.typeName, tags.bool, tags.null], color: "var(--accent)", fontWeight: "600" },
  { tag: tags.special(tags.string), color: "var(--text)" },
  { tag: tags.string, color: "var(--good)" },
  { tag: tags.number, color: "var(--series-2)" },
  { tag: tags.comment, color: "var(--muted)", fontStyle: "italic" },
]);

/** Flink SQL: its reserved words, names in backticks, comments after `--` and `//`. */
const dialect = (keywords) =>
  cm.SQLDialect.define({ keywords: keywords.join(" ").toLowerCase(), types: " ", builtin: " ", identifierQuotes: "`", slashComments: true });

class SqlEditor extends HTMLElement {
  #view = null;
  #text = "";
  #fault = null;
  #language = new cm.Compartment();
  #keywords = null;
  /** The place at which the text could not be formatted, like `fault`. */
  #unreadable = null;

  constructor() {
    super();
    this.attachShadow({ mode: "open", delegatesFocus: true });
  }

  /** An asynchronous function of the texts before and after the cursor that returns completions. */
  complete = async () => [];

  connectedCallback() {
    this.#view ??= new cm.EditorView({ parent: this.shadowRoot, root: this.shadowRoot, state: this.#state() });
    this.#mark();
  }

  disconnectedCallback() {
    this.#text = this.text;
    this.#view?.destroy();
    this.#view = null;
  }

  get text() {
    return this.#view ? this.#view.state.doc.toString() : this.#text;
  }

  set text(text) {
    if (text === this.text) return;
    this.#text = text;
    this.#view?.dispatch({ changes: { from: 0, to: this.#view.state.doc.length, insert: text } });
  }

  /** The number of characters before the cursor, as the service counts them. */
  get cursor() {
    const { doc, selection } = this.#view.state;
    return [...doc.sliceString(0, selection.main.head)].length;
  }

  /** The reserved words. */
  set keywords(words) {
    if (!words?.length || words === this.#keywords) return;
    this.#keywords = words;
    this.#view?.dispatch({ effects: this.#language.reconfigure(dialect(words).extension) });
  }

  /** The place of the error in the text: `{line, column, length, message}`; null without one. */
  set fault(fault) {
    if (fault === this.#fault) return;
    this.#fault = fault;
    this.#mark();
  }

  /** Move the cursor to a place of the text. */
  show({ line, column }) {
    const place = this.#offset(line, column);
    this.#view.dispatch({ selection: { anchor: place }, effects: cm.EditorView.scrollIntoView(place, { y: "center" }) });
    this.#view.focus();
  }

  /** Lay out the text in one step of the history. A text that cannot be laid out stays; its place is marked. */
  async format() {
    const { text } = this;
    const unformatted = (reason) => this.dispatchEvent(new CustomEvent("unformatted", { detail: `Not formatted: ${reason}` }));
    const library = await import("./sql_format.js").catch(() => null);
    if (!library) return unformatted("the service does not respond; reload the page");
    if (!this.#view || text !== this.text) return;
    try {
      this.#view.dispatch({ changes: library.spacing(text, library.format(text)), userEvent: "format", scrollIntoView: true });
      this.#view.focus();
    } catch (error) {
      if (!(error instanceof library.UnreadableError)) throw error;
      const { line, column, message } = error;
      this.#unreadable = { line, column, length: 1, message };
      this.#mark();
      this.show(error);
      unformatted(`${message} (line ${line}, column ${column})`);
    }
  }

  #state() {
    const save = () => this.dispatchEvent(new CustomEvent("save")) || true;
    const preview = () => this.dispatchEvent(new CustomEvent("preview")) || true;
    const format = () => this.format() && true;
    return cm.EditorState.create({
      doc: this.#text,
      extensions: [
        cm.lineNumbers(),
        cm.lintGutter(),
        cm.history(),
        cm.drawSelection(),
        cm.bracketMatching(),
        cm.closeBrackets(),
        cm.highlightActiveLine(),
        cm.highlightActiveLineGutter(),
        cm.highlightSelectionMatches(),
        cm.search({ top: true }),
        cm.autocompletion({ override: [(context) => this.#completions(context)], activateOnTypingDelay: 150, icons: false }),
        cm.placeholder(this.getAttribute("hint") ?? "CREATE TABLE …; INSERT INTO … SELECT …;"),
        cm.indentUnit.of("  "),
        cm.syntaxHighlighting(COLOURS),
        this.#language.of(this.#keywords ? dialect(this.#keywords).extension : []),
        cm.keymap.of([
          { key: "Mod-s", run: save, preventDefault: true },
          { key: "Mod-Enter", run: preview, preventDefault: true },
          ...(this.hasAttribute("formats") ? [{ key: "Shift-Alt-f", run: format, preventDefault: true }] : []),
          { key: "Tab", run: cm.acceptCompletion },
          ...cm.closeBracketsKeymap, ...cm.completionKeymap, ...cm.lintKeymap, ...cm.searchKeymap, ...cm.historyKeymap, ...cm.defaultKeymap,
          cm.indentWithTab,
        ]),
        cm.EditorView.contentAttributes.of({ "aria-label": this.getAttribute("label") ?? "SQL", spellcheck: "false", tabindex: "0" }),
        cm.EditorView.domEventHandlers({ beforeinput: replaceRange }),
        cm.EditorView.updateListener.of((update) => {
          if (update.docChanged && this.text !== this.#text) {
            this.#text = this.text;
            if (this.#unreadable) {
              this.#unreadable = null;
              this.#mark();
            }
            this.dispatchEvent(new CustomEvent("change", { detail: this.#text }));
          }
        }),
        THEME,
      ],
    });
  }

  async #completions({ state, pos, explicit, aborted }) {
    const before = state.sliceDoc(0, pos);
    if (!explicit && !/[\w`'.]$/.test(before)) return null;
    const items = await this.complete(before, state.sliceDoc(pos)).catch(() => []);
    if (aborted || !items.length) return null;
    // The service counts characters, and the editor UTF-16 units.
    const typed = items[0].typed ? [...before].slice(-items[0].typed).join("") : "";
    const options = items.map(({ text, shown }) => ({ label: shown, apply: (view, _, from, to) => insert(view, text, from, to) }));
    return { from: pos - typed.length, options, validFor: /^[\w`-]*$/ };
  }

  /** The offset of a line and column, which count from 1, within the text. */
  #offset(line, column) {
    const { doc } = this.#view.state;
    const place = doc.line(Math.min(Math.max(line, 1), doc.lines));
    return place.from + [...place.text].slice(0, column - 1).join("").length;
  }

  #mark() {
    if (!this.#view) return;
    const marks = [this.#fault, this.#unreadable].filter(Boolean).map(({ line, column, length, message }) => {
      const from = Math.min(this.#offset(line, column), Math.max(0, this.#view.state.doc.length - 1));
      return { from, to: Math.min(this.#view.state.doc.length, from + Math.max(1, length)), severity: "error", message };
    });
    marks.sort((left, right) => left.from - right.from);
    this.#view.dispatch(cm.setDiagnostics(this.#view.state, marks));
  }
}

/** Replace a selected range in the document: Chromium would give the new text inline styles, which the CSP refuses. */
function replaceRange(event, view) {
  const selection = view.root.getSelection?.() ?? document.getSelection();
  if (event.inputType !== "insertText" || !event.data || view.composing || view.state.selection.ranges.length > 1 || !selection.rangeCount || selection.isCollapsed) return false;
  const range = selection.getRangeAt(0);
  const from = view.posAtDOM(range.startContainer, range.startOffset);
  const to = view.posAtDOM(range.endContainer, range.endOffset);
  view.dispatch({ changes: { from, to, insert: event.data }, selection: { anchor: from + event.data.length }, userEvent: "input.type" });
  event.preventDefault();
  return true;
}

/** Insert a completion, over a closing quote that the editor has added. */
function insert(view, text, from, to) {
  const end = text.endsWith("'") && view.state.sliceDoc(to, to + 1) === "'" ? to + 1 : to;
  view.dispatch({ changes: { from, to: end, insert: text }, selection: { anchor: from + text.length } });
}

customElements.define("sql-editor", SqlEditor);

const PLACES = new WeakMap();

/**
 * The place in the text that an error of the compiler names, with the length of its carets; null without one.
 * The same object for the same error.
 */
export function placeOf(problem) {
  if (!problem) return null;
  if (!PLACES.has(problem)) PLACES.set(problem, readPlace(problem));
  return PLACES.get(problem);
}

function readPlace({ where, message, remedy }) {
  const [, line, column] = /(?:^|, )line (\d+), column (\d+)/.exec(where ?? "") ?? [];
  if (!line) return null;
  const carets = /\^+$/.exec(where.trimEnd());
  return { line: Number(line), column: Number(column), length: carets ? carets[0].length : 1, message: remedy ? `${message}\n${remedy}` : message };
}
