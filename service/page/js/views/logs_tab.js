import * as api from "../api.js";
import { problemBox } from "../components/problem.js";
import { poll } from "../events.js";
import { html, nothing } from "../lit.js";
import { createStore } from "../store.js";

const TAIL = 1000;
const EVERY = 2500;

/** The output of the run. */
export function logsTab(context, pipeline) {
  const store = createStore({ lines: null, q: "", follow: true, problem: null });
  const { name } = pipeline.get();
  let end = () => {};

  async function load() {
    try {
      const { lines } = await api.logs(name, TAIL);
      store.set({ lines, problem: null });
    } catch (problem) {
      store.set({ problem });
    }
  }

  return {
    store,
    start() {
      end = poll(load, EVERY);
    },
    stop: () => end(),
    render: ({ lines, q, follow, problem }) => {
      const shown = (lines ?? []).filter((line) => line.toLowerCase().includes(q.toLowerCase()));
      return html`<div class="logs-head">
          <label class="search"><span class="visually-hidden">Filter lines</span>
            <input type="search" placeholder="Filter lines" autocomplete="off" .value=${q} @input=${(event) => store.set({ q: event.target.value })} /></label>
          <label class="choice"><input type="checkbox" .checked=${follow} @change=${(event) => store.set({ follow: event.target.checked })} /> Follow</label>
          <span class="spacer"></span>
          ${lines ? html`<span class="muted">${shown.length} of the last ${lines.length} lines</span>` : nothing}
        </div>
        ${problemBox(problem)}
        ${lines ? html`<pre id="log" class="log" tabindex="0" role="region" aria-label="Log of the run">${shown.map(lineOf)}</pre>` : nothing}`;
    },
    drawn: ({ follow }) => {
      const log = document.getElementById("log");
      if (log && follow) log.scrollTop = log.scrollHeight;
    },
  };
}

const lineOf = (line) => {
  const kind = /\b(ERROR|error:|FATAL)/.test(line) ? "bad" : /\bWARN/.test(line) ? "warn" : "";
  return html`<span class=${kind}>${line}
</span>`;
};
