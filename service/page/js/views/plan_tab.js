import * as api from "../api.js";
import { tell } from "../components/dialog.js";
import { arrange, focusOperator, graphView, showOperator } from "../components/graph.js";
import { operatorPanel } from "../components/panel.js";
import { editsOf, isValid, NO_EDIT } from "../components/ttl.js";
import { figuresOf, isAlive } from "../figures.js";
import { html, nothing } from "../lit.js";
import { to } from "../router.js";
import { createStore } from "../store.js";
import { somebodyElse } from "./conflict.js";

const GRAPH = "plan-graph";
const WAIT = 300;

/** The plan in force as a graph; beside it the operator that was chosen. */
export function planTab(context, pipeline, { load }) {
  const store = createStore({ selected: null, ttl: NO_EDIT });
  const { name } = pipeline.get();
  let timer = 0;

  const nodeOf = (id) => pipeline.get().graph?.nodes.find((node) => node.id === id);
  const setTtl = (part) => store.set({ ttl: { ...store.get().ttl, ...part } });

  function choose(id, { keep = false } = {}) {
    if (store.get().selected === id) return;
    clearTimeout(timer);
    store.set({ selected: id, ttl: NO_EDIT });
    requestAnimationFrame(() => {
      showOperator(GRAPH, id);
      if (!keep) document.getElementById("panel-title")?.focus({ preventScroll: true });
    });
  }

  function close() {
    const { selected } = store.get();
    clearTimeout(timer);
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
      const found = await api.checkTtl(name, version, edits);
      if (still()) setTtl({ check: found, checking: false });
    } catch (problem) {
      if (still()) setTtl({ problem, checking: false });
    }
  }

  /** How many rows of the checkpoint the TTLs would remove. */
  async function count() {
    const { selected, ttl } = store.get();
    const node = nodeOf(selected);
    const still = () => store.get().ttl.texts === ttl.texts;
    setTtl({ counting: true });
    try {
      const removes = await api.whatIf(name, node.uid, editsOf(node, ttl));
      if (still()) setTtl({ removes });
    } catch (problem) {
      if (still()) tell(problem.message);
    }
    setTtl({ counting: false });
  }

  async function save() {
    const { selected, ttl } = store.get();
    const { version } = pipeline.get();
    const edits = editsOf(nodeOf(selected), ttl);
    const { etag } = pipeline.get().pipeline;
    setTtl({ saving: true });
    try {
      const made = await api.setTtl(name, version, edits, ttl.comment.trim(), etag);
      store.set({ ttl: NO_EDIT });
      tell(`Version ${made.version.number} is saved and in force; a run takes it up when it starts next`);
      await load();
    } catch (problem) {
      setTtl({ saving: false });
      if (problem.status === 412) await conflict(edits, ttl, version);
      else setTtl({ problem });
    }
  }

  /** Somebody else was quicker: show what they changed, then go on with it. */
  async function conflict(edits, ttl, version) {
    await load();
    const now = pipeline.get().pipeline;
    const again = await somebodyElse(name, version, now.in_force, edits);
    const node = nodeOf(store.get().selected);
    store.set({ ttl: again && node ? { ...NO_EDIT, texts: ttl.texts, comment: ttl.comment } : NO_EDIT });
    if (again) check();
  }

  const act = { close, type, save, discard: () => store.set({ ttl: NO_EDIT }), comment: (comment) => setTtl({ comment }) };
  /** Only what has run has something to count. */
  const acts = () => (context.app.get().runs && pipeline.get().pipeline?.version ? { ...act, count } : act);

  return {
    store,
    stop: () => clearTimeout(timer),
    render: ({ selected, ttl }, { pipeline: found, graph, last }) => {
      if (found && !found.in_force) {
        return html`<div class="empty"><p>No version is in force yet.</p>
          <p><a href=${to(["pipelines", name, "upgrade"])}>Add a program</a></p></div>`;
      }
      if (!graph) return html`<p class="muted loading">Loading…</p>`;
      const node = graph.nodes.find((each) => each.id === selected);
      return html`<div class="plan ${node ? "with-panel" : ""}">
        ${graphView({ id: GRAPH, graph, label: `Plan of ${name}, ${graph.nodes.length} operators`, selected, choose, figures: figuresOf(graph, last, isAlive(found)) })}
        ${node
          ? operatorPanel({
              node,
              inputs: inputsOf(graph, node),
              figures: last?.by_operator?.find((each) => each.uid === node.uid),
              ttl,
              mayEdit: context.may("editor"),
              act: acts(),
            })
          : nothing}
      </div>`;
    },
    drawn: () => arrange(GRAPH),
  };
}

function inputsOf(graph, node) {
  const edges = graph.edges.filter((edge) => edge.to === node.id).sort((a, b) => a.port - b.port);
  return edges.map((edge) => graph.nodes.find((each) => each.id === edge.from));
}
