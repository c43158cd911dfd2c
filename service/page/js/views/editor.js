import * as api from "../api.js";
import { tell } from "../components/dialog.js";
import { arrange } from "../components/graph.js";
import { NO_PROGRAM, readProgram } from "../components/program.js";
import { placeOf } from "../components/sql_editor.js";
import { NO_JOB } from "../jobs.js";
import { html } from "../lit.js";
import { go } from "../router.js";
import { createStore } from "../store.js";
import { editorBody, editorHead, GRAPH } from "./editor_parts.js";
import { editorRows, LIVE } from "./editor_rows.js";
import { testsOf } from "./editor_tests.js";
import { askUpgrade } from "./upgrade_dialog.js";

/** The time without typing after which the program is compiled, in milliseconds. */
const WAIT = 400;
/** Unsaved programs by pipeline, while the page is open. */
const DRAFTS = new Map();
const UNCHECKED = { checking: false, fault: null, compiled: null };

/** The editor of a program: from text to a running pipeline. */
export function editorView(context, route) {
  const name = route.params.name ?? "";
  const store = createStore({
    name, pipeline: null, program: DRAFTS.get(name) ?? NO_PROGRAM, options: {}, base: 0, fresh: "", description: "",
    draft: UNCHECKED, side: "plan", selected: null, busy: "", problem: null, keywords: [], preview: NO_JOB, sample: LIVE, restored: DRAFTS.has(name),
  });
  let timer = 0;
  let checks = 0;
  let created = "";

  const body = () => ({ ...readProgram(store.get().program), options: store.get().options });
  const over = () => (store.get().pipeline?.in_force ? name : undefined);

  const tests = testsOf(name, store, () => ({ ...body(), over: over() }));
  const rows = editorRows(store, () => ({ program: store.get().program.text, options: store.get().options, over: name || undefined }), tests.text);

  async function load() {
    api.words().then(({ keywords }) => store.set({ keywords })).catch(() => {});
    try {
      if (name) await loadVersion(await api.pipeline(name));
    } catch (problem) {
      store.set({ problem });
    }
    check();
  }

  async function loadVersion(pipeline) {
    const base = Number(route.query.version) || pipeline.in_force;
    store.set({ pipeline, base });
    if (!base) return;
    const { program, language, origin, options, tests: text } = await api.version(name, base);
    store.set({ options: options ?? {} });
    tests.load(text ?? "");
    if (DRAFTS.has(name)) return;
    if (language === "python") return store.set({ program: { text: origin, language } });
    if (language) return store.set({ program: { text: program, language } });
    store.set({ problem: new api.Problem(0, { detail: `version ${base} is a plan without a program`, remedy: "write its program here, or import another plan file" }) });
  }

  function edit(program) {
    DRAFTS.set(name, program);
    store.set({ program });
    clearTimeout(timer);
    timer = setTimeout(check, WAIT);
  }

  /** Compile the program as it is, without storing it. A later text overtakes the answer. */
  async function check() {
    clearTimeout(timer);
    const number = ++checks;
    if (!store.get().program.text.trim()) return store.set({ draft: UNCHECKED });
    store.set({ draft: { ...store.get().draft, checking: true } });
    let draft;
    try {
      draft = { ...UNCHECKED, compiled: await api.compile(body(), over()) };
    } catch (fault) {
      // The last plan stays beside a program that is being typed.
      draft = { ...UNCHECKED, fault, compiled: store.get().draft.compiled };
    }
    if (number === checks) store.set({ draft });
  }

  function discard() {
    DRAFTS.delete(name);
    tests.forget();
    store.set({ program: NO_PROGRAM, restored: false, draft: UNCHECKED });
    load();
  }

  /** Store the program; the first version of a pipeline is in force. */
  async function add(inForce) {
    const { fresh, description } = store.get();
    const target = name || fresh.trim();
    if (!name && created !== target) {
      await api.addPipeline(target, description.trim());
      // If the program does not compile, the next attempt uses the pipeline.
      created = target;
    }
    const added = await api.addVersion(target, { ...body(), tests: tests.text(), put_in_force: inForce }, name ? "" : "First version");
    DRAFTS.delete(name);
    tests.forget();
    return { target, number: added.version.number };
  }

  async function act(busy, run) {
    store.set({ busy, problem: null });
    try {
      await run();
    } catch (problem) {
      if (placeOf(problem)) store.set({ draft: { ...store.get().draft, fault: problem } });
      else store.set({ problem });
    }
    store.set({ busy: "" });
  }

  const save = () => act("save", async () => {
    const { target, number } = await add(false);
    const waits = name && store.get().pipeline?.in_force;
    tell(waits ? `Version ${number} is saved, but not in force` : `${target} is saved`);
    go(waits ? ["pipelines", target, "versions"] : ["pipelines", target]);
  });

  const saveAndStart = () => act("start", async () => {
    const { target } = await add(true);
    await api.startRun(target);
    tell(`${target} is starting`);
    go(["pipelines", target]);
  });

  /** Save the program, and migrate the state of the run to it. */
  async function migrate() {
    const how = await askUpgrade(name, store.get().draft.compiled.diff);
    if (!how) return;
    await act("start", async () => {
      const { number } = await add(false);
      await api.migrate(name, number, how);
      tell("The upgrade is starting");
      go(["pipelines", name, "upgrade"]);
    });
  }

  const warn = (event) => {
    if (DRAFTS.size) event.preventDefault();
  };

  return {
    store,
    start() {
      window.addEventListener("beforeunload", warn);
      load();
    },
    stop() {
      clearTimeout(timer);
      tests.stop();
      rows.stop();
      window.removeEventListener("beforeunload", warn);
    },
    render: (state) => {
      const mayRun = context.may("operator");
      const acts = { edit, discard, save, saveAndStart, migrate, set: store.set, check, tests, rows };
      return context.may("editor")
        ? html`${editorHead(state, mayRun, acts)} ${editorBody(state, acts)}`
        : html`<p class="empty">The role editor is required.</p>`;
    },
    drawn: ({ side, draft }) => {
      if (side === "plan" && draft.compiled) arrange(GRAPH);
    },
  };
}
