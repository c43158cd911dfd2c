import * as api from "../api.js";
import { alertBox, alertsOf, rulesLine } from "../components/alerts.js";
import { stateLine } from "../components/badges.js";
import { confirm, tell } from "../components/dialog.js";
import { clock, play, sliders, stop as stopIcon, warning } from "../components/icons.js";
import { loadProblemBox, messageText, problemBox } from "../components/problem.js";
import { follow, poll } from "../events.js";
import { hasFigures } from "../figures.js";
import { millis, rate, short } from "../format.js";
import { html, nothing } from "../lit.js";
import { paced, pointOf, wordsOf } from "../points.js";
import { to } from "../router.js";
import { createStore } from "../store.js";
import { editDetails } from "./details.js";
import { liveTab } from "./live_tab.js";
import { logsTab } from "./logs_tab.js";
import { planTab } from "./plan_tab.js";
import { runSettings } from "./run_settings.js";
import { stateTab } from "./state_tab.js";
import { upgradeTab } from "./upgrade_tab.js";
import { versionsTab } from "./versions_tab.js";

const TABS = {
  plan: { words: "Plan", make: planTab },
  live: { words: "Live", make: liveTab },
  state: { words: "State", make: stateTab },
  versions: { words: "Versions", make: versionsTab },
  upgrade: { words: "Upgrade", make: upgradeTab },
  logs: { words: "Logs", make: logsTab },
};
const EVERY = 2500;
/** Hours of micro-batches to load at first. */
const RECENT = 0.05;
/** The maximum number of micro-batches for the charts. */
const MOST = 20000;

/** One pipeline: its name and status, and the selected tab. */
export function pipelineView(context, route) {
  const { name } = route.params;
  const store = createStore({ name, pipeline: null, run: null, problem: null, last: null, figures: null, live: false, events: [], acting: "", graph: null, words: new Map(), version: 0 });
  const ends = [];
  let tab = null;
  let tabName = "";
  let unlisten = () => {};

  async function load() {
    try {
      const [pipeline, run, figures, { alerts, rules }] = await Promise.all([api.pipeline(name), api.run(name), api.figures(name), alertsOf(name)]);
      store.set({ pipeline, run, figures, alerts, rules, last: lastOf(store.get().events, run), loadProblem: null });
      await draw(pipeline.in_force);
    } catch (loadProblem) {
      store.set({ loadProblem });
    }
  }

  /** Load the graph when the version in force changes. */
  async function draw(version) {
    if (!version || version === store.get().version) return;
    const graph = await api.graph(name, version);
    store.set({ graph, version, words: wordsOf(graph) });
  }

  function take(message) {
    if (message.batch == null) return;
    const { events: before } = store.get();
    // The stream starts with the last micro-batch, which may be known.
    if (message.at === before.at(-1)?.at) return;
    const event = paced([...before.slice(-1), pointOf(message)]).at(-1);
    store.set({ events: [...before, event].slice(-MOST), last: lastOf([event], store.get().run) });
  }

  /** Load recent micro-batches, since the interval of a micro-batch depends on the previous one. */
  async function recent() {
    const { points } = await api.history(name, RECENT).catch(() => ({ points: [] }));
    const events = points.map(pointOf);
    const later = store.get().events.filter((event) => !events.some(({ at }) => at === event.at));
    const all = paced([...events, ...later]);
    if (all.length) store.set({ events: all, last: lastOf(all, store.get().run) });
  }

  function choose(wanted) {
    const chosen = TABS[wanted] ? wanted : "plan";
    if (chosen === tabName) return;
    tab?.stop?.();
    unlisten();
    tabName = chosen;
    tab = TABS[chosen].make(context, store, { load });
    unlisten = tab.store.subscribe(() => store.set({}));
    tab.start?.();
    store.set({});
  }

  async function act(what, run, done) {
    store.set({ acting: what, problem: null });
    try {
      await run();
      tell(done);
    } catch (problem) {
      store.set({ problem });
    }
    await load();
    store.set({ acting: "" });
  }

  const start = () => act("start", () => api.startRun(name), `${name} is starting`);
  async function stop() {
    const text = "The run ends after the current micro-batch, and continues from there at the next start.";
    if (await confirm(`Stop ${name}?`, text, "Stop")) act("stop", () => api.stopRun(name), `${name} is stopping`);
  }

  async function details() {
    if (await editDetails(store.get().pipeline)) await load();
  }

  async function settings() {
    if (await runSettings(name, store.get().run)) {
      tell("The settings are saved");
      await load();
    }
  }

  return {
    store,
    start() {
      ends.push(poll(load, EVERY));
      recent();
      ends.push(follow(api.progressAddress(name), take, (live) => store.set({ live })));
      choose(route.params.tab ?? "plan");
    },
    stop() {
      ends.forEach((end) => end());
      tab?.stop?.();
    },
    resume: () => {
      load();
      tab?.resume?.();
    },
    moved: (next) => choose(next.params.tab ?? "plan"),
    render: (state) => (state.loadProblem?.status === 404 ? missing(name, state.loadProblem) : html`${head(state, context.may("operator"), { start, stop, settings, details: context.may("editor") ? details : null })} ${tabs(name, tabName)}
      <div class="tab-body tab-${tabName}">${tab ? tab.render(tab.store.get(), state) : nothing}</div>`),
    drawn: (state) => tab?.drawn?.(tab.store.get(), state),
    repaint: () => tab?.repaint?.(),
  };
}

/** The last micro-batch, if it is one of the current run. */
function lastOf(events, run) {
  const last = events.at(-1) ?? null;
  return last && run?.begun_at && Date.parse(last.at) < Date.parse(run.begun_at) ? null : last;
}

/** The page of a pipeline that does not exist, or no longer. */
function missing(name, { remedy }) {
  const near = /did you mean `([^`]+)`/.exec(remedy)?.[1];
  return html`<div class="empty">
    <h1>No pipeline named <span class="long-name">${name}</span></h1>
    <p class="muted">It may have been removed or renamed.</p>
    ${near ? html`<p>Did you mean <a href=${to(["pipelines", near])}>${near}</a>?</p>` : nothing}
    <p><a href=${to(["pipelines"])}>All pipelines</a></p>
  </div>`;
}

function head({ name, pipeline, run, last, acting, problem, loadProblem, alerts, rules }, mayRun, act) {
  // A run that waits for its restart can be stopped, too.
  const goes = run?.wanted ?? false;
  const button = goes
    ? html`<button type="button" @click=${act.stop} ?disabled=${acting !== ""}>${stopIcon}Stop</button>`
    : html`<button type="button" class="primary" @click=${act.start} ?disabled=${acting !== "" || !pipeline?.in_force}>${play}${acting === "start" ? "Starting…" : "Start"}</button>`;
  return html`<div class="page-head pipeline-head">
      <div>
        <p class="crumb"><a href=${to(["pipelines"])}>Pipelines</a></p>
        <h1>${name}</h1>
        <p class="muted pipeline-facts">${pipeline?.description ? html`<span>${pipeline.description}</span>` : nothing}
          ${pipeline?.owner ? html`<span>Owner: ${pipeline.owner}</span>` : nothing}
          ${pipeline?.tags.map((tag) => html`<span class="tag">${tag}</span>`)}
          ${rulesLine(rules)}
          ${pipeline && act.details ? html`<button type="button" class="quiet small" @click=${act.details}>Edit details</button>` : nothing}</p>
      </div>
      ${pipeline ? glance(pipeline, last) : nothing}
      ${pipeline && mayRun ? html`<span class="run-actions">${run?.settings ? html`<button type="button" class="square" aria-label="Run settings" title="Run settings" @click=${act.settings} ?disabled=${!pipeline.in_force}>${sliders}</button>` : nothing}${button}</span>` : nothing}
    </div>
    ${problemBox(problem)} ${loadProblemBox(loadProblem)} ${pipeline ? failure(pipeline) : nothing} ${alertBox(alerts, false)}`;
}

/** Status and metrics. */
function glance(pipeline, last) {
  const runs = hasFigures(pipeline);
  const fact = (words, value) => html`<div><dt>${words}</dt><dd>${value}</dd></div>`;
  return html`<dl class="glance">
    <div><dt class="visually-hidden">State</dt><dd>${stateLine(pipeline)}</dd></div>
    ${fact("Version", pipeline.in_force || "–")}
    ${runs ? fact("In", rate(pipeline.rows_per_second)) : nothing}
    ${runs && last ? fact("Batch", millis(last.duration_ms)) : nothing}
    ${runs ? fact("Lag", short(pipeline.lag)) : nothing}
  </dl>`;
}

function failure({ state, message, remedy }) {
  if (!message) return nothing;
  return html`<div class="problem state-${state} ${state === "failed" ? "" : "mild"}" role=${["failed", "waiting"].includes(state) ? "alert" : "status"}>${["failed", "behind"].includes(state) ? warning : clock}<div>
    ${messageText(message)}
    ${remedy ? html`<p class="problem-remedy"><span>Try</span> ${remedy}</p>` : nothing}
  </div></div>`;
}

function tabs(name, chosen) {
  return html`<nav class="tabs" aria-label="Parts of the pipeline">
    ${Object.entries(TABS).map(([key, { words }]) => html`<a href=${to(key === "plan" ? ["pipelines", name] : ["pipelines", name, key])}
      aria-current=${key === chosen ? "page" : nothing}>${words}</a>`)}
  </nav>`;
}
