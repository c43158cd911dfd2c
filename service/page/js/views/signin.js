import * as api from "../api.js";
import { problemBox } from "../components/problem.js";
import { html } from "../lit.js";
import { createStore } from "../store.js";

export function signInView(context, route) {
  const store = createStore({ problem: null, busy: false });

  async function submit(event) {
    event.preventDefault();
    const token = new FormData(event.target).get("token").trim();
    if (!token) return;
    store.set({ busy: true, problem: null });
    try {
      await api.signIn(token);
      await context.signedIn();
      location.hash = `#${route.query.then ?? "/pipelines"}`;
    } catch (problem) {
      store.set({ problem, busy: false });
      document.getElementById("token")?.select();
    }
  }

  return {
    store,
    render: ({ problem, busy }) => html`<form class="card signin" @submit=${submit}>
      <h1>Sign in</h1>
      <p class="muted">With a token of this service. Its first start printed the first token.</p>
      <label class="field"><span>Token</span>
        <input id="token" name="token" type="password" autocomplete="current-password" required autofocus />
      </label>
      ${problemBox(problem)}
      <button type="submit" class="primary" ?disabled=${busy}>${busy ? "Signing in…" : "Sign in"}</button>
    </form>`,
  };
}
