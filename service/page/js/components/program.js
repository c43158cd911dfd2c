import { html, nothing } from "../lit.js";

const KINDS = {
  sql: { words: "SQL", label: "Program", hint: "CREATE TABLE …; INSERT INTO … SELECT …;" },
  plan: { words: "Plan file", label: "Plan", hint: '{ "flinkVersion": …' },
  python: { words: "Python", label: "Path of the program", hint: "/srv/programs/orders.py" },
};
const ENDINGS = { sql: "sql", json: "plan" };

export const NO_PROGRAM = Object.freeze({ text: "", language: "sql" });

/**
 * The choice of a program's format, and of a file with its text.
 * @param {unknown} actions more buttons
 */
export function programHead(program, set, actions = nothing) {
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

/** Input of a program: pasted or from a file; a Python program by its path on the service's machine. */
export function programInput(program, set) {
  const kind = KINDS[program.language];
  return html`<div class="program">
    ${programHead(program, set)}
    <label class="field"><span>${kind.label}</span>
      ${program.language === "python"
        ? html`<input name="program" required autocomplete="off" spellcheck="false" placeholder=${kind.hint} .value=${program.text}
              @input=${(event) => set({ ...program, text: event.target.value })} />
            <span class="muted">In a folder that the operator has allowed</span>`
        : html`<textarea name="program" rows="12" spellcheck="false" required .value=${program.text} placeholder=${kind.hint}
            @input=${(event) => set({ ...program, text: event.target.value })}></textarea>`}
    </label>
  </div>`;
}

/** Select the place of a compile error in the text area of a form. */
export function showPlace(form, problem) {
  const place = /^line (\d+), column (\d+)/.exec(problem.where);
  const area = form?.querySelector('textarea[name="program"]');
  if (!place || !area) return;
  const [line, column] = place.slice(1).map(Number);
  const lines = area.value.split("\n");
  const start = lines.slice(0, line - 1).reduce((sum, text) => sum + text.length + 1, 0) + column - 1;
  const word = /^[\w.$`]+|^./.exec(area.value.slice(start))?.[0] ?? "";
  area.focus();
  area.setSelectionRange(start, start + word.length);
  area.scrollTop = ((line - 1) / lines.length) * area.scrollHeight - area.clientHeight / 2;
}

/** The program as a request body. */
export function readProgram({ text, language }) {
  return { sql: { program: text }, plan: { plan: text }, python: { file: text.trim() } }[language];
}
