import { html } from "../lit.js";
import { openDialog } from "./dialog.js";

const KEYS = [
  ["/", "Search the list of pipelines"],
  ["Arrow keys", "Move between the operators of a plan"],
  ["Home, End", "First and last operator"],
  ["Enter", "Open the operator; in a search field, go to the next match"],
  ["Ctrl+Enter", "In the editor, preview the statement at the cursor"],
  ["Shift+Alt+F", "In the editor, format the program"],
  ["Escape", "Close an operator or a dialog"],
  ["?", "Show these keys"],
];

/** Show the keys of the page on `?`, outside of fields and dialogs. */
export function showKeys(event) {
  if (event.key !== "?" || event.ctrlKey || event.metaKey || event.target.closest("input, textarea, select, dialog, sql-editor, [contenteditable]")) return;
  event.preventDefault();
  openDialog("Keys", () => html`<dl class="facts keys">${KEYS.map(([key, what]) => html`<dt><kbd>${key}</kbd></dt><dd>${what}</dd>`)}</dl>`);
}
