import * as api from "../api.js";
import { openDialog } from "../components/dialog.js";
import { problemBox } from "../components/problem.js";
import { html } from "../lit.js";

/** How each setting is asked for: its words, a hint, and what makes it of a text. */
const FIELDS = {
  trigger: { words: "Time between micro-batches", hint: "none: as soon as there are rows", says: "10 s; or real-time, in which rows go through one by one" },
  every: { words: "Start every", hint: "goes on all the time", says: "15 min: reads what is there, ends, and starts again" },
  available_now: { words: "Read what is there now, then end", kind: "checkbox" },
  max_files_per_batch: { words: "Files in a micro-batch at most", hint: "all that are there", kind: "number" },
  stop_within: { words: "A stop waits for what runs", hint: "30s" },
  master: { words: "Spark's master", hint: "local[*]" },
  launcher: { words: "Started by", kind: "select", choices: { process: "a process of its own", "spark-submit": "spark-submit" } },
  conf: { words: "Spark's settings", hint: "spark.sql.shuffle.partitions = 8", kind: "pairs" },
};

/**
 * Ask how a pipeline runs, and keep it.
 * @param {string} name
 * @param {object} run its document
 * @returns {Promise<boolean>} whether it was changed
 */
export function runSettings(name, run) {
  let state = { problem: null, busy: false };
  const known = Object.entries(run.settings).filter(([key]) => FIELDS[key]);

  return openDialog(`How ${name} runs`, (end, again) => {
    const submit = async (event) => {
      event.preventDefault();
      const given = new FormData(event.target);
      state = { problem: null, busy: true };
      again();
      try {
        const settings = { ...run.settings, ...Object.fromEntries(known.map(([key]) => [key, read(FIELDS[key].kind, given.get(key))])) };
        // What runs goes on as it is, with its version; the settings hold from the next start on.
        await api.startRun(name, { settings, ...(run.wanted && run.version ? { version: run.version } : {}) });
        end(true);
      } catch (problem) {
        state = { problem, busy: false };
        again();
      }
    };
    return html`<form @submit=${submit}>
      ${run.wanted ? html`<p class="note">It runs: what is changed here holds from the next start on.</p>` : ""}
      ${known.map(([key, value]) => field(key, FIELDS[key], value))}
      ${problemBox(state.problem)}
      <div class="actions">
        <button type="button" class="quiet" @click=${() => end(false)}>Cancel</button>
        <button type="submit" class="primary" ?disabled=${state.busy}>${run.wanted ? "Save" : "Save and start"}</button>
      </div>
    </form>`;
  }, { wide: true });
}

function field(key, { words, hint = "", says = "", kind, choices }, value) {
  if (kind === "checkbox") return html`<label class="choice"><input type="checkbox" name=${key} ?checked=${value} /><span>${words}</span></label>`;
  if (kind === "select") {
    return html`<label class="field"><span>${words}</span><select name=${key}>
      ${Object.entries(choices).map(([each, text]) => html`<option value=${each} ?selected=${each === value}>${text}</option>`)}</select></label>`;
  }
  if (kind === "pairs") {
    const lines = Object.entries(value).map(([name, each]) => `${name} = ${each}`).join("\n");
    return html`<label class="field"><span>${words} <span class="muted">one a line</span></span>
      <textarea name=${key} rows="3" spellcheck="false" placeholder=${hint} .defaultValue=${lines}></textarea></label>`;
  }
  return html`<label class="field"><span>${words} ${says ? html`<span class="muted">${says}</span>` : ""}</span>
    <input name=${key} type=${kind ?? "text"} min="1" autocomplete="off" placeholder=${hint} .defaultValue=${value ?? ""} /></label>`;
}

/** A setting, as the API takes it. */
function read(kind, text) {
  if (kind === "checkbox") return text === "on";
  if (kind === "number") return text ? Number(text) : null;
  if (kind !== "pairs") return text.trim();
  const lines = text.split("\n").map((line) => line.trim()).filter(Boolean);
  return Object.fromEntries(lines.map((line) => line.split(/\s*=\s*(.*)/s, 2)));
}
