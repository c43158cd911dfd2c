import * as api from "../api.js";
import { html, nothing } from "../lit.js";
import { tell } from "./dialog.js";
import "./sql_editor.js";

const KINDS = {
  sql: { words: "SQL" },
  plan: { words: "Plan file", label: "Plan", hint: '{ "flinkVersion": …' },
  python: { words: "Python", label: "Path of the program", hint: "/srv/programs/orders.py" },
};
const ENDINGS = { sql: "sql", json: "plan" };

export const NO_PROGRAM = Object.freeze({ text: "", language: "sql" });

/**
 * The choice of a program's format, and of a file with its text.
 * @param {unknown} actions more buttons
 */
function programHead(program, set, actions = nothing) {
  const pick = async (event) => {
    const [file] = event.target.files;
    if (!file) return;
    set({ text: await file.text(), language: ENDINGS[file.name.split(".").pop().toLowerCase()] ?? "sql" });
  };
  return html`<div class="program-head">
    <div class="segments" role="group" aria-label="Format">
      ${Object.entries(KINDS).map(([key, { words }]) => html`<button type="button" aria-pressed=${key === program.language ? "true" : "false"}
        @click=${() => set({ ...program, language: key })}>${words}</button>`)}
    </div>
    <span class="spacer"></span>
    ${actions}
    <label class="file button" ?hidden=${program.language === "python"}>Choose a file<input type="file" accept=".sql,.json" @change=${pick} /></label>
  </div>`;
}

/**
 * Input of a program: an editor of SQL, the text of a plan file, or the path of a Python program on the service's machine.
 * @param {object} options
 * @param {string[]} options.keywords SQL's reserved words
 * @param {object|null} options.fault the place of the error in the text, see `placeOf`
 * @param {() => void} [options.save] called by Ctrl+S in the editor
 * @param {() => void} [options.preview] called by Ctrl+Enter in the editor
 */
export function programInput(program, set, { keywords, fault, save, preview }) {
  const kind = KINDS[program.language];
  const change = (text) => set({ ...program, text });
  if (program.language === "sql") {
    const format = html`<button type="button" title="Shift+Alt+F" ?disabled=${!program.text.trim()} @click=${() => document.querySelector("sql-editor").format()}>Format</button>`;
    return html`${programHead(program, set, format)}
      <sql-editor label="SQL program" formats .complete=${api.complete} .keywords=${keywords} .text=${program.text} .fault=${fault}
        @change=${(event) => change(event.detail)} @save=${save} @preview=${preview} @unformatted=${({ detail }) => tell(detail)}></sql-editor>`;
  }
  return html`<div class="program">
    ${programHead(program, set)}
    <label class="field"><span>${kind.label}</span>
      ${program.language === "python"
        ? html`<input name="program" required autocomplete="off" spellcheck="false" placeholder=${kind.hint} .value=${program.text}
              @input=${(event) => change(event.target.value)} />
            <span class="muted">In a folder that the operator has allowed</span>`
        : html`<textarea name="program" rows="12" spellcheck="false" required .value=${program.text} placeholder=${kind.hint}
            @input=${(event) => change(event.target.value)}></textarea>`}
    </label>
  </div>`;
}

/** The program as a request body. */
export function readProgram({ text, language }) {
  return { sql: { program: text }, plan: { plan: text }, python: { file: text.trim() } }[language];
}
