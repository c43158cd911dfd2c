import * as api from "../api.js";
import { confirm, openDialog, tell } from "../components/dialog.js";
import { plus } from "../components/icons.js";
import { problemBox } from "../components/problem.js";
import { when } from "../format.js";
import { html, nothing } from "../lit.js";
import { createStore } from "../store.js";

const ROLES = { viewer: "view", editor: "view, edit programs and TTLs", operator: "everything: runs, upgrades, tokens, deletions" };

/** Tokens and their roles. */
export function tokensView() {
  const store = createStore({ items: null, problem: null });

  async function load() {
    try {
      const { items } = await api.tokens();
      store.set({ items, problem: null });
    } catch (problem) {
      store.set({ problem });
    }
  }

  async function add() {
    await openDialog("New token", newToken());
    load();
  }

  async function remove(item) {
    if (!(await confirm(`Revoke ${item.name}?`, "The token becomes invalid at once, and its sessions end.", "Revoke", { danger: true }))) return;
    try {
      await api.removeToken(item.id);
      tell(`${item.name} is revoked`);
    } catch (problem) {
      store.set({ problem });
    }
    load();
  }

  return {
    store,
    start: load,
    resume: load,
    render: ({ items, problem }) => html`<div class="page-head"><h1>Tokens</h1><span class="spacer"></span>
        <button type="button" class="primary" @click=${add}>${plus}New token</button></div>
      ${problemBox(problem)}
      ${items && !items.length ? html`<p class="empty">No tokens yet. Without tokens, the service accepts only local requests.</p>` : nothing}
      ${items?.length
        ? html`<table class="wide-table"><thead><tr><th scope="col">Name</th><th scope="col">Role</th><th scope="col">Created</th>
            <th scope="col">By</th><th scope="col">Expires</th><th scope="col"><span class="visually-hidden">Actions</span></th></tr></thead>
            <tbody>${items.map((item) => html`<tr><th scope="row">${item.name}</th>
              <td>${item.role} <span class="muted wide-only">${ROLES[item.role]}</span></td><td>${when(item.created_at)}</td>
              <td>${item.created_by}</td><td>${item.expires_at ? when(item.expires_at) : "never"}</td>
              <td class="number"><button type="button" class="quiet danger-text" @click=${() => remove(item)}>Revoke<span class="visually-hidden"> ${item.name}</span></button></td></tr>`)}</tbody></table>`
        : nothing}`,
  };
}

function newToken() {
  let created = null;
  let problem = null;
  return (end, again) => {
    const submit = async (event) => {
      event.preventDefault();
      const form = new FormData(event.target);
      try {
        created = await api.addToken(form.get("name").trim(), form.get("role"));
      } catch (error) {
        problem = error;
      }
      again();
    };
    if (created) {
      return html`<p>This is the token. It is shown only once.</p>
        <p class="token"><code>${created.secret}</code></p>
        <div class="actions">
          <button type="button" @click=${() => navigator.clipboard?.writeText(created.secret)}>Copy</button>
          <button type="button" class="primary" @click=${() => end(true)}>Done</button>
        </div>`;
    }
    return html`<form @submit=${submit}>
      <label class="field"><span>Name</span><input name="name" required maxlength="128" autocomplete="off" placeholder="Its user" /></label>
      <fieldset><legend>Role</legend>
        ${Object.entries(ROLES).map(([role, what], at) => html`<label class="choice"><input type="radio" name="role" value=${role} ?checked=${at === 0} />
          <span>${role} <span class="muted">${what}</span></span></label>`)}
      </fieldset>
      ${problemBox(problem)}
      <div class="actions"><button type="button" class="quiet" @click=${() => end()}>Cancel</button>
        <button type="submit" class="primary">Create</button></div>
    </form>`;
  };
}
