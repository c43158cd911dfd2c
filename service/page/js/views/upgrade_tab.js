import * as api from "../api.js";
import { confirm, tell } from "../components/dialog.js";
import { arrange, scrollToOperator, showOperator } from "../components/graph.js";
import { problemBox } from "../components/problem.js";
import { NO_PROGRAM, programInput, readProgram } from "../components/program.js";
import { placeOf } from "../components/sql_editor.js";
import { poll } from "../events.js";
import { NO_JOB } from "../jobs.js";
import { html, nothing } from "../lit.js";
import { go } from "../router.js";
import { createStore } from "../store.js";
import { confirmInForce } from "./in_force.js";
import { comparison, firstChanged, held, SIDES, sidesOf } from "./upgrade_comparison.js";
import { askUpgrade } from "./upgrade_dialog.js";
import { examplesOf } from "./upgrade_examples.js";
import { isUnderWay, progressView } from "./upgrade_progress.js";
import { askRewind } from "./upgrade_rewind.js";
import { confirmTakeover, shadowOf } from "./upgrade_shadow.js";

/** The smallest scale of the two graphs, which are read side by side. */
const SMALL = 0.55;
const NONE = { target: null, old: null, now: null, diff: null, warnings: [], selected: {}, whole: false, sides: null, problem: null, examples: NO_JOB, shadow: NO_JOB };

/** Upgrade to another program: comparison, migration and rollback. */
export function upgradeTab(context, pipeline, { load }) {
  const store = createStore({ ...NONE, program: NO_PROGRAM, keywords: [], busy: false, progress: null, versions: [] });
  const { name } = pipeline.get();
  let end = () => {};
  const examples = examplesOf(store);
  const shadow = shadowOf(store);

  async function watch() {
    const before = store.get().progress?.state;
    const progress = await api.upgrade(name).catch(() => null);
    store.set({ progress });
    if (before && progress?.state !== before) await load();
  }

  async function listVersions() {
    const { items } = await api.versions(name, "").catch(() => ({ items: [] }));
    store.set({ versions: items });
  }

  /** Compile the program over the version in force, and compare it with the current state, without adding a version. */
  async function compile(event) {
    event?.preventDefault();
    if (!pipeline.get().pipeline.in_force) return first();
    const base = held(pipeline.get().pipeline);
    show(base, 0, async () => {
      const [old, compiled] = await Promise.all([api.graph(name, base), api.compile(readProgram(store.get().program), name)]);
      return { old, now: compiled.graph, diff: compiled.diff, warnings: compiled.warnings };
    });
  }

  /** Add the first version, without a comparison. */
  async function first() {
    store.set({ busy: true, problem: null });
    try {
      await api.addVersion(name, readProgram(store.get().program), "First version");
      await load();
      go(["pipelines", name]);
    } catch (problem) {
      store.set({ problem });
    }
    store.set({ busy: false });
  }

  /** Begin with the program of the current state, unless the user was faster. */
  async function begin() {
    api.words().then(({ keywords }) => store.set({ keywords })).catch(() => {});
    try {
      const version = held(pipeline.get().pipeline ?? (await api.pipeline(name)));
      if (!version) return;
      const { program, language, origin } = await api.version(name, version);
      if (language && !store.get().program.text) store.set({ program: language === "python" ? { text: origin, language } : { text: program, language } });
    } catch (problem) {
      store.set({ problem });
    }
  }

  async function compare(number) {
    const base = held(pipeline.get().pipeline);
    show(base, number, async () => {
      const [old, now, diff] = await Promise.all([api.graph(name, base), api.graph(name, number), api.diff(name, null, number)]);
      return { old, now, diff, warnings: [] };
    });
  }

  async function show(base, target, ask) {
    examples.stop();
    shadow.stop();
    store.set({ ...NONE, busy: true });
    try {
      const answer = await ask();
      store.set({ ...answer, sides: sidesOf(answer), base, target, busy: false });
      requestAnimationFrame(() => document.getElementById("upgrade-title")?.focus());
    } catch (problem) {
      store.set({ problem, busy: false });
      const place = placeOf(problem);
      if (place) requestAnimationFrame(() => document.querySelector("sql-editor")?.show(place));
    }
  }

  async function migrate() {
    const { target, diff, program } = store.get();
    const how = await askUpgrade(name, diff);
    if (!how) return;
    act(async () => {
      let number = target;
      if (!number) {
        const added = await api.addVersion(name, readProgram(program), "Upgrade");
        number = added.version.number;
        store.set({ target: number });
      }
      await api.migrate(name, number, how);
    }, "The upgrade is starting");
  }

  /** Add the program as a version without putting it in force. */
  async function keep() {
    store.set({ busy: true, problem: null });
    try {
      const added = await api.addVersion(name, readProgram(store.get().program), "");
      tell(`Version ${added.version.number} is saved, and nothing else has changed`);
      store.set({ target: added.version.number });
      await load();
    } catch (problem) {
      store.set({ problem });
    }
    store.set({ busy: false });
  }

  /** Search examples of the shown comparison. */
  function searchExamples() {
    const { target, program } = store.get();
    examples.begin(name, target ? { version: target } : { new: readProgram(program) });
  }

  /** Run the shown version beside the run. */
  const compareLive = (question) => shadow.begin(name, question);

  /** Let the shadow put its version in force in place of the run. */
  async function takeOver(job) {
    if (!(await confirmTakeover(name, store.get().base, job))) return;
    act(async () => {
      await api.promoteShadow(name);
      shadow.keep();
    }, "The shadow is taking over");
  }

  async function rewind() {
    const versions = store.get().versions.map(({ number }) => number);
    const how = await askRewind(name, versions);
    if (!how) return;
    act(async () => {
      if (pipeline.get().pipeline.state !== "stopped") await stopped();
      await api.startRun(name, how);
    }, `${name} is rewinding`);
  }

  /** Stop the run, and wait for its end. */
  async function stopped() {
    await api.stopRun(name);
    while ((await api.run(name)).pid) await new Promise((resolve) => setTimeout(resolve, 500));
  }

  async function putInForce() {
    const { target } = store.get();
    if (await confirmInForce(target)) act(() => api.putInForce(name, target, pipeline.get().pipeline.etag), `Version ${target} is in force from the next start`);
  }

  async function rollBack() {
    const text = "The previous plan and state are restored; data read since the upgrade is read again.";
    if (await confirm(`Roll ${name} back?`, text, "Roll back", { danger: true })) act(() => api.rollBack(name), `${name} is rolling back`);
  }

  async function act(run, done) {
    store.set({ busy: true, problem: null });
    try {
      await run();
      tell(done);
    } catch (problem) {
      store.set({ problem });
    }
    await watch();
    await load();
    store.set({ busy: false });
  }

  /** Select an operator in one graph, and its counterpart in the other; a folded part is unfolded. */
  function choose(side, id) {
    if (id < 0) {
      store.set({ whole: true });
      return;
    }
    const { diff } = store.get();
    const operator = diff.operators.find(({ oldNode, newNode }) => (side === "old" ? oldNode : newNode) === id);
    const selected = side === "old" ? { old: id, now: operator?.newNode ?? null } : { now: id, old: operator?.oldNode ?? null };
    store.set({ selected });
    for (const [shown, graph] of Object.entries(SIDES)) {
      if (shown !== side && selected[shown] != null) showOperator(graph, selected[shown]);
    }
  }

  return {
    store,
    start() {
      end = poll(watch, 2000);
      listVersions();
      begin();
    },
    stop: () => {
      end();
      examples.stop();
      shadow.stop();
    },
    render: (state, { pipeline: current }) => html`
      ${state.progress ? progressView(state.progress, context.may("operator") ? rollBack : null, state.busy) : nothing}
      ${problemBox(state.problem)}
      ${state.diff ? comparison(state, current, { choose, migrate, keep, putInForce, searchExamples: context.may("editor") ? searchExamples : null, cancelExamples: examples.cancel, compareLive: context.may("operator") ? compareLive : null, endShadow: shadow.cancel, takeOver, fold: (whole) => store.set({ whole }), again: () => store.set(NONE), mayRun: context.may("operator") })
        : context.may("editor") ? chooser(state, current, store, { compile, compare, rewind: context.may("operator") ? rewind : null }) : html`<p class="empty">The role editor is required.</p>`}`,
    drawn: ({ diff, sides }) => {
      if (!diff) return;
      for (const [key, id] of Object.entries(SIDES)) {
        if (arrange(id, { least: SMALL })) scrollToOperator(id, firstChanged(sides.all[key], sides.changes[key]));
      }
    },
  };
}

function chooser(state, pipeline, store, { compile, compare, rewind }) {
  const versions = state.versions.filter(({ number }) => number !== held(pipeline));
  const isFirst = pipeline && !pipeline.in_force;
  const mayRewind = rewind && pipeline?.version;
  return html`<div class="upgrade-choose">
    <form class="card" @submit=${compile}>
      <h2>${isFirst ? "The first program" : "A new program"}</h2>
      ${programInput(state.program, (program) => store.set({ program, problem: null }), { keywords: state.keywords, fault: placeOf(state.problem), save: compile, preview: compile })}
      <div class="actions">
        <button type="submit" class="primary" ?disabled=${state.busy || !pipeline || !state.program.text.trim()}>${isFirst ? (state.busy ? "Compiling…" : "Compile and add") : state.busy ? "Comparing…" : "Compile and compare"}</button></div>
    </form>
    ${versions.length || mayRewind ? html`<div class="upgrade-others">${versions.length ? existing(versions, pipeline, state.busy, compare) : nothing} ${mayRewind ? backwards(state, rewind) : nothing}</div>` : nothing}
  </div>`;
}

const existing = (versions, pipeline, busy, compare) => html`<section class="card"><h2>Or an existing version</h2>
  <ul class="choices">${versions.slice(0, 12).map(({ number, comment, kind }) => html`<li><button type="button" class="quiet" ?disabled=${busy} @click=${() => compare(number)}>
    Version ${number}${number === pipeline?.in_force ? ", in force" : ""} <span class="muted">${comment || kind}</span></button></li>`)}</ul></section>`;

const backwards = ({ busy, progress }, rewind) => html`<section class="card"><h2>Or back to an earlier micro-batch</h2>
  <p class="muted">State, positions and output return to a micro-batch before a mistake.</p>
  <div class="actions"><button type="button" ?disabled=${busy || isUnderWay(progress)} @click=${rewind}>Rewind…</button></div></section>`;
