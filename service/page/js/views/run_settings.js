import * as api from "../api.js";
import { openDialog } from "../components/dialog.js";
import { problemBox } from "../components/problem.js";
import { html } from "../lit.js";

/** The form fields of the settings: label, placeholder, explanation and kind of input. */
const FIELDS = {
  trigger: { words: "Time between micro-batches", hint: "none: start a micro-batch at once", says: "10 s; or real-time, which processes rows one by one" },
  every: { words: "Start every", hint: "runs continuously", says: "15 min: reads the available data, ends, and starts again" },
  available_now: { words: "Read the data available at the start, then end", kind: "checkbox" },
  max_files_per_batch: { words: "Maximum number of files per micro-batch", hint: "all available", kind: "number" },
  retain_batches: { words: "Number of micro-batches to which it can return", hint: "100", kind: "number" },
  retain_for: { words: "Time for which it can return to them", hint: "7 d", says: "instead of the number; needs a time between micro-batches" },
  stop_within: { words: "Stop timeout", hint: "30s" },
  master: { words: "Spark master", hint: "local[*]" },
  launcher: { words: "Launcher", kind: "select", choices: { process: "separate process", "spark-submit": "spark-submit" } },
  conf: { words: "Spark settings", hint: "spark.sql.shuffle.partitions = 8", kind: "pairs" },
};

/**
 * Edit the run settings of a pipeline.
 * @param {string} name
 * @param {object} run the document of its run
 * @returns {Promise<boolean>} true if they were saved
 */
export function runSettings(name, run) {
  let state = { problem: null, busy: false };
  const known = Object.entries(run.settings).filter(([key]) => FIELDS[key]);

  return openDialog(`Run settings of ${name}`, (end, again) => {
    const submit = async (event) => {
      event.preventDefault();
      const form = new FormData(event.target);
      state = { problem: null, busy: true };
      again();
      try {
        const settings = { ...run.settings, ...Object.fromEntries(known.map(([key]) => [key, read(FIELDS[key].kind, form.get(key))])) };
        // An active run continues with its version; the settings apply from the next start.
        await api.startRun(name, { settings, ...(run.wanted && run.version ? { version: run.version } : {}) });
        end(true);
      } catch (problem) {
        state = { problem, busy: false };
        again();
      }
    };
    return html`<form @submit=${submit}>
      ${run.wanted ? html`<p class="note">The run is active: changes apply from the next start.</p>` : ""}
      ${known.map(([key, value]) => field(key, fieldOf(key, run), value))}
      ${problemBox(state.problem)}
      <div class="actions">
        <button type="button" class="quiet" @click=${() => end(false)}>Cancel</button>
        <button type="submit" class="primary" ?disabled=${state.busy}>${run.wanted ? "Save" : "Save and start"}</button>
      </div>
    </form>`;
  }, { wide: true });
}

/** A field of the settings; without a trigger, the freshness of materialized tables can be that of the run. */
function fieldOf(key, run) {
  return key === "trigger" && run.trigger ? { ...FIELDS[key], hint: `${run.trigger} in the last run` } : FIELDS[key];
}

function field(key, { words, hint = "", says = "", kind, choices }, value) {
  if (kind === "checkbox") return html`<label class="choice"><input type="checkbox" name=${key} ?checked=${value} /><span>${words}</span></label>`;
  if (kind === "select") {
    return html`<label class="field"><span>${words}</span><select name=${key}>
      ${Object.entries(choices).map(([choice, text]) => html`<option value=${choice} ?selected=${choice === value}>${text}</option>`)}</select></label>`;
  }
  if (kind === "pairs") {
    const lines = Object.entries(value).map(([key, text]) => `${key} = ${text}`).join("\n");
    return html`<label class="field"><span>${words} <span class="muted">one per line</span></span>
      <textarea name=${key} rows="3" spellcheck="false" placeholder=${hint} .defaultValue=${lines}></textarea></label>`;
  }
  return html`<label class="field"><span>${words} ${says ? html`<span class="muted">${says}</span>` : ""}</span>
    <input name=${key} type=${kind ?? "text"} min="1" autocomplete="off" placeholder=${hint} .defaultValue=${value ?? ""} /></label>`;
}

/** The value of a form field for the API. */
function read(kind, text) {
  if (kind === "checkbox") return text === "on";
  if (kind === "number") return text ? Number(text) : null;
  if (kind !== "pairs") return text.trim();
  const lines = text.split("\n").map((line) => line.trim()).filter(Boolean);
  return Object.fromEntries(lines.map((line) => line.split(/\s*=\s*(.*)/s, 2)));
}
