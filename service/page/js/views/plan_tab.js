import * as api from "../api.js";
import { tell } from "../components/dialog.js";
import { arrange, focusOperator, graphView, showOperator } from "../components/graph.js";
import { operatorPanel } from "../components/panel.js";
import { editsOf, isValid, NO_EDIT } from "../components/ttl.js";
import { busiestOf, figuresOf, hasFigures, operatorFigures, ratesOf } from "../figures.js";
import { NO_JOB } from "../jobs.js";
import { html, nothing } from "../lit.js";
import { to } from "../router.js";
import { createStore } from "../store.js";
import { showConflict } from "./conflict.js";
import { operatorRows, operatorRowsView } from "./operator_rows.js";

const GRAPH = "plan-graph";
const WAIT = 300;

/** The graph of the plan in force, and the panel of the selected operator. */
export function planTab(context, pipeline, { load }) {
  const store = createStore({ selected: null, ttl: NO_EDIT, rows: NO_JOB, room: null });
  const { name } = pipeline.get();
  const rowsJob = operatorRows(name, store);
  let timer = 0;

  const nodeOf = (id) => pipeline.get().graph?.nodes.find((node) => node.id === id);
  const setTtl = (part) => store.set({ ttl: { ...store.get().ttl, ...part } });

  function choose(id, { keep = false } = {}) {
    if (store.get().selected === id) return;
    clearTimeout(timer);
    rowsJob.close();
    store.set({ selected: id, ttl: NO_EDIT });
    requestAnimationFrame(() => {
      showOperator(GRAPH, id);
      if (!keep) document.getElementById("panel-title")?.focus({ preventScroll: true });
    });
  }

  function close() {
    const { selected } = store.get();
    clearTimeout(timer);
    rowsJob.close();
    store.set({ selected: null, ttl: NO_EDIT });
    requestAnimationFrame(() => focusOperator(GRAPH, selected));
  }

  function type(entry, text) {
    setTtl({ texts: { ...store.get().ttl.texts, [entry]: text }, check: null, problem: null, removes: null });
    clearTimeout(timer);
    timer = setTimeout(check, WAIT);
  }

  async function check() {
    const { selected, ttl } = store.get();
    const { version } = pipeline.get();
    const node = nodeOf(selected);
    const edits = editsOf(node, ttl);
    if (!edits.length || !isValid(node, ttl)) return;
    setTtl({ checking: true });
    const still = () => store.get().ttl.texts === ttl.texts;
    try {
      const answer = await api.checkTtl(name, version, edits);
      if (still()) setTtl({ check: answer, checking: false });
    } catch (problem) {
      if (still()) setTtl({ problem, checking: false });
    }
  }

  /** Count the rows in the checkpoint that would expire. */
  async function count() {
    const { selected, ttl } = store.get();
    const node = nodeOf(selected);
    const still = () => store.get().ttl.texts === ttl.texts;
    // A further edit cancels the count.
    const goesOn = (counting) => {
      if (!still() || !store.get().ttl.counts) return false;
      setTtl({ counting });
      return true;
    };
    setTtl({ counts: true, counting: { of: 0, seconds: 0 } });
    try {
      const removes = await api.whatIf(name, node.uid, editsOf(node, ttl), goesOn);
      if (still()) setTtl({ removes });
    } catch (problem) {
      if (still()) tell(problem.message);
    }
    setTtl({ counting: null, counts: false });
  }

  async function save() {
    const { selected, ttl } = store.get();
    const { version } = pipeline.get();
    const edits = editsOf(nodeOf(selected), ttl);
    const { etag } = pipeline.get().pipeline;
    setTtl({ saving: true });
    try {
      const added = await api.setTtl(name, version, edits, ttl.comment.trim(), etag);
      store.set({ ttl: NO_EDIT });
      tell(`Version ${added.version.number} is saved and in force; it takes effect at the next start`);
      await load();
    } catch (problem) {
      setTtl({ saving: false });
      if (problem.status === 412) await conflict(edits, ttl, version);
      else setTtl({ problem });
    }
  }

  /** After a concurrent change, show it, and repeat the edit on request. */
  async function conflict(edits, ttl, version) {
    await load();
    const now = pipeline.get().pipeline;
    const again = await showConflict(name, version, now.in_force, edits);
    const node = nodeOf(store.get().selected);
    store.set({ ttl: again && node ? { ...NO_EDIT, texts: ttl.texts, comment: ttl.comment } : NO_EDIT });
    if (again) check();
  }

  const act = { close, type, save, discard: () => store.set({ ttl: NO_EDIT }), comment: (comment) => setTtl({ comment }) };
  /** Counting needs a checkpoint. */
  const acts = () => (pipeline.get().pipeline?.version ? { ...act, count, cancelCount: () => setTtl({ counts: false }) } : act);

  return {
    store,
    stop() {
      clearTimeout(timer);
      rowsJob.stop();
    },
    render: ({ selected, ttl, rows, room }, { pipeline: current, graph, last, figures, version }) => {
      if (current && !current.in_force) {
        return html`<div class="empty"><p>No version is in force yet.</p>
          <p><a href=${to(["pipelines", name, "edit"])}>Add a program</a></p></div>`;
      }
      if (!graph) return html`<p class="muted loading">Loading…</p>`;
      const node = graph.nodes.find(({ id }) => id === selected);
      return html`<div class="plan ${node ? "with-panel" : ""}">
        ${graphView({ id: GRAPH, graph, label: `Plan of ${name}, ${graph.nodes.length} operators`, selected, choose, room, figures: figuresOf(graph, figures, hasFigures(current)),
          ...(hasFigures(current) ? { rates: ratesOf(figures, version), busiest: busiestOf(graph, figures) } : {}) })}
        ${node
          ? operatorPanel({
              node,
              inputs: inputsOf(graph, node),
              figures: last?.by_operator?.find(({ uid }) => uid === node.uid),
              current: operatorFigures(figures, node),
              watermark: figures?.figures?.watermark_lag_ms,
              ttl,
              mayEdit: context.may("editor"),
              rows: context.may("editor") ? operatorRowsView({ node, inputs: inputsOf(graph, node), version, runs: hasFigures(current) && current.version === version }, rows, rowsJob) : nothing,
              act: acts(),
            })
          : nothing}
      </div>`;
    },
    drawn: () => arrange(GRAPH, { resized: (room) => store.set({ room }) }),
  };
}

function inputsOf(graph, node) {
  const edges = graph.edges.filter((edge) => edge.to === node.id).sort((a, b) => a.port - b.port);
  return edges.map((edge) => graph.nodes.find(({ id }) => id === edge.from));
}
