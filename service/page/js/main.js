/** The page: selects the view of the current route, and redraws it whenever its store changes. */

import * as api from "./api.js";
import { nothing, render } from "./lit.js";
import { go, routeOf, to } from "./router.js";
import { createStore } from "./store.js";
import { showKeys } from "./components/keys.js";
import { shell } from "./components/shell.js";
import * as theme from "./theme.js";

/** The views, each loaded with its first use. */
const VIEWS = {
  pipelines: async () => (await import("./views/pipelines.js")).pipelinesView,
  pipeline: async () => (await import("./views/pipeline.js")).pipelineView,
  editor: async () => (await import("./views/editor.js")).editorView,
  lineage: async () => (await import("./views/lineage.js")).lineageView,
  secrets: async () => (await import("./views/secrets.js")).secretsView,
  tokens: async () => (await import("./views/tokens.js")).tokensView,
  signin: async () => (await import("./views/signin.js")).signInView,
};
/** The time after which the other views are loaded, in milliseconds: a later view needs no connection, and has this release. */
const REST = 2000;

/** The interval of attempts to reach the service, in milliseconds. */
const RETRY = 2000;

const app = createStore({ me: null, offline: null, route: routeOf(location.hash), theme: theme.theme() });
const context = {
  app,
  /** Return true if the signed-in client has the permissions of a role. */
  may: (role) => {
    const roles = ["viewer", "editor", "operator"];
    return roles.indexOf(app.get().me?.role) >= roles.indexOf(role);
  },
  signedIn: async () => app.set({ me: await api.me() }),
};

let view = null;
let key = "";
let shows = 0;
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

const keyOf = (route) => `${route.name}/${route.params.name ?? ""}`;

async function show() {
  const number = ++shows;
  const route = routeOf(location.hash);
  app.set({ route });
  const now = keyOf(route);
  if (view && now === key) {
    view.moved?.(route);
    return;
  }
  const make = await VIEWS[route.name]().catch(() => reached(false));
  if (!make || number !== shows) return;
  view?.stop?.();
  key = now;
  view = make(context, route);
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
  // Browsers do not load a module again that failed.
  if (keyOf(routeOf(location.hash)) !== key) return location.reload();
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
  const load = VIEWS[routeOf(location.hash).name];
  await Promise.all([context.signedIn(), load()]).catch(() => {});
  await show();
  setTimeout(() => Object.values(VIEWS).forEach((rest) => rest().catch(() => {})), REST);
}

begin();

