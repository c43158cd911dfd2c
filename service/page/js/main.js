/** The page: selects the view of the current route, and redraws it whenever its store changes. */

import * as api from "./api.js";
import { nothing, render } from "./lit.js";
import { go, routeOf, to } from "./router.js";
import { createStore } from "./store.js";
import { showKeys } from "./components/keys.js";
import { shell } from "./components/shell.js";
import * as theme from "./theme.js";
import { editorView } from "./views/editor.js";
import { pipelinesView } from "./views/pipelines.js";
import { pipelineView } from "./views/pipeline.js";
import { signInView } from "./views/signin.js";
import { lineageView } from "./views/lineage.js";
import { tokensView } from "./views/tokens.js";

const VIEWS = { pipelines: pipelinesView, pipeline: pipelineView, editor: editorView, lineage: lineageView, tokens: tokensView, signin: signInView };

/** The interval of attempts to reach the service, in milliseconds. */
const RETRY = 2000;

const app = createStore({ me: null, runs: false, offline: null, route: routeOf(location.hash), theme: theme.theme() });
const context = {
  app,
  /** Return true if the signed-in client has the permissions of a role. */
  may: (role) => {
    const roles = ["viewer", "editor", "operator"];
    return roles.indexOf(app.get().me?.role) >= roles.indexOf(role);
  },
  signedIn: async () => {
    const [me, runs] = await Promise.all([api.me(), api.canRun()]);
    app.set({ me, runs });
  },
};

let view = null;
let key = "";
let waiting = false;

function draw() {
  waiting = false;
  const { route } = app.get();
  render(
    shell({
      app: app.get(),
      body: view ? view.render(view.store.get()) : nothing,
      signOut: async () => {
        await api.signOut();
        app.set({ me: null });
        go(["signin"]);
      },
      turnTheme: () => {
        theme.setTheme(theme.nextTheme());
        app.set({ theme: theme.theme() });
        view?.repaint?.();
      },
      plain: route.name === "signin",
    }),
    document.body,
  );
  view?.drawn?.(view.store.get());
}

function drawSoon() {
  if (waiting) return;
  waiting = true;
  requestAnimationFrame(draw);
}

function show() {
  const route = routeOf(location.hash);
  app.set({ route });
  const now = `${route.name}/${route.params.name ?? ""}`;
  if (view && now === key) {
    view.moved?.(route);
    return;
  }
  view?.stop?.();
  key = now;
  view = VIEWS[route.name](context, route);
  view.store.subscribe(drawSoon);
  view.start?.();
  document.title = route.params.name ? `${route.params.name} · Pipelines` : "Pipelines";
  drawSoon();
  // Move the focus to the new page, so that screen readers start at its top.
  requestAnimationFrame(() => document.querySelector("main")?.focus({ preventScroll: true }));
}

/** While the service does not respond, try again; then reload what the view shows. */
function reached(responds) {
  const { offline } = app.get();
  if (responds === !offline) return;
  if (!responds) {
    app.set({ offline: Date.now() });
    setTimeout(retry, RETRY);
    return;
  }
  app.set({ offline: null });
  recover();
}

async function retry() {
  if (!app.get().offline) return;
  await api.health().catch(() => setTimeout(retry, RETRY));
}

/** Ask the service whether it responds; the answer sets `offline`. */
const probe = () => api.health().catch(() => {});

async function recover() {
  const known = app.get().me;
  await context.signedIn().catch(() => {});
  if (known) {
    view?.resume?.();
    return;
  }
  view?.stop?.();
  view = null;
  show();
}

async function begin() {
  theme.apply();
  api.whenReached(reached);
  api.whenSignedOut(() => {
    app.set({ me: null });
    const here = location.hash;
    if (routeOf(here).name !== "signin") location.hash = to(["signin"], { then: here.replace(/^#/, "") });
  });
  app.subscribe(drawSoon);
  for (const change of ["offline", "online"]) window.addEventListener(change, probe);
  document.addEventListener("keydown", showKeys);
  window.addEventListener("hashchange", show);
  await context.signedIn().catch(() => {});
  show();
}

begin();

