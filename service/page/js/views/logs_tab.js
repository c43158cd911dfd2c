import * as api from "../api.js";
import { problemBox } from "../components/problem.js";
import { poll } from "../events.js";
import { html, nothing } from "../lit.js";
import { entriesOf, matching } from "../log_lines.js";
import { createStore } from "../store.js";

const TAIL = 1000;
/** The maximum number of lines of a download; the service sends at most the last MiB. */
const ALL = 100000;
const EVERY = 2500;
const FILTERS = [["-", "All lines"], ["INFO", "Info and above"], ["WARN", "Warnings and errors"], ["ERROR", "Errors"]];
/** The distance from the end, in pixels, within which new lines are followed. */
const NEAR = 24;

/** The output of the run. */
export function logsTab(context, pipeline) {
  const store = createStore({ entries: null, q: "", level: "-", follow: true, problem: null });
  const { name } = pipeline.get();
  let end = () => {};

  async function load() {
    try {
      const { lines } = await api.logs(name, TAIL);
      store.set({ entries: entriesOf(lines), problem: null });
    } catch (problem) {
      store.set({ problem });
    }
  }

  async function download() {
    try {
      const { lines } = await api.logs(name, ALL);
      const link = document.createElement("a");
      link.href = URL.createObjectURL(new Blob([`${lines.join("\n")}\n`], { type: "text/plain" }));
      link.download = `${name}.log`;
      link.click();
      URL.revokeObjectURL(link.href);
    } catch (problem) {
      store.set({ problem });
    }
  }

  /** Follow while the end is in sight. */
  function scrolled({ currentTarget: log }) {
    const follow = log.scrollHeight - log.scrollTop - log.clientHeight < NEAR;
    if (follow !== store.get().follow) store.set({ follow });
  }

  return {
    store,
    start() {
      end = poll(load, EVERY);
    },
    stop: () => end(),
    render: ({ entries, q, level, follow, problem }, { run }) => {
      const shown = matching(entries ?? [], level, q);
      return html`<div class="logs-head">
          <label class="search"><span class="visually-hidden">Search lines</span>
            <input type="search" placeholder="Search lines" autocomplete="off" .value=${q} @input=${(event) => store.set({ q: event.target.value })} /></label>
          <label class="filter"><span class="visually-hidden">Level</span>
            <select .value=${level} @change=${(event) => store.set({ level: event.target.value })}>
              ${FILTERS.map(([value, words]) => html`<option value=${value}>${words}</option>`)}
            </select></label>
          <label class="choice"><input type="checkbox" .checked=${follow} @change=${(event) => store.set({ follow: event.target.checked })} /> Follow</label>
          <span class="spacer"></span>
          ${entries?.length ? html`<span class="muted">${shown.length} of the last ${entries.length} entries</span>
            <button type="button" @click=${download}>Download</button>` : nothing}
        </div>
        ${problemBox(problem)}
        ${entries ? body(entries, shown, run, scrolled) : nothing}`;
    },
    drawn: ({ follow }) => {
      const log = document.getElementById("log");
      if (log && follow) log.scrollTop = log.scrollHeight;
    },
  };
}

function body(entries, shown, run, scrolled) {
  if (!shown.length) return html`<p class="empty">${entries.length ? "No matching lines." : emptyText(run)}</p>`;
  return html`<div id="log" class="log" tabindex="0" role="region" aria-label="Log of the run" @scroll=${scrolled}>${shown.map(entryView)}</div>`;
}

const emptyText = (run) => (run?.number
  ? "The run has written nothing yet. Its first lines name its plan, its checkpoint and Spark, once Spark has started."
  : "This pipeline has not run yet. The output of its run appears here.");

const KINDS = { ERROR: "bad", WARN: "warn", "-": "", DEBUG: "muted", INFO: "" };

const entryView = ({ time, level, text, trace }) => html`<div class="log-entry ${KINDS[level]}">
  <span class="log-time" title=${time}>${time.replace(/^.*[T ](\d\d:\d\d:\d\d).*$/, "$1")}</span><span class="log-level">${level === "-" ? "" : level}</span><span class="log-text">${text}${trace.length
    ? html`<details><summary>${trace.length} ${trace.length === 1 ? "line" : "lines"} of the stack trace</summary><pre>${trace.join("\n")}</pre></details>`
    : nothing}</span>
</div>`;
