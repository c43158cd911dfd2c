import * as api from "../api.js";
import { confirm, openDialog, tell } from "../components/dialog.js";
import { plus } from "../components/icons.js";
import { problemBox } from "../components/problem.js";
import { when } from "../format.js";
import { html, nothing } from "../lit.js";
import { createStore } from "../store.js";

const ROLES = { viewer: "looks", editor: "looks, edits programs and TTLs", operator: "all: runs, upgrades, tokens, deleting" };

/** Who may do what. */
export function tokensView() {
  const store = createStore({ items: null, problem: null });

  async function load() {
    try {
      const found = await api.tokens();
      store.set({ items: found.items, problem: null });
    } catch (problem) {
      store.set({ problem });
    }
  }

  async function add() {
    await openDialog("New token", newToken());
    load();
  }

  async function remove(item) {
    if (!(await confirm(`Revoke ${item.name}?`, "Whoever uses the token can do nothing with it from now on.", "Revoke", { danger: true }))) return;
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
    render: ({ items, problem }) => html`<div class="page-head"><h1>Tokens</h1><span class="spacer"></span>
        <button type="button" class="primary" @click=${add}>${plus}New token</button></div>
      ${problemBox(problem)}
      ${items && !items.length ? html`<p class="empty">No tokens yet: this service asks nobody who they are, and serves this machine alone.</p>` : nothing}
      ${items?.length
        ? html`<table class="wide-table"><thead><tr><th scope="col">Name</th><th scope="col">Role</th><th scope="col">Made</th>
            <th scope="col">By</th><th scope="col">Ends</th><th scope="col"><span class="visually-hidden">Actions</span></th></tr></thead>
            <tbody>${items.map((item) => html`<tr><th scope="row">${item.name}</th>
              <td>${item.role} <span class="muted wide-only">${ROLES[item.role]}</span></td><td>${when(item.created_at)}</td>
              <td>${item.created_by}</td><td>${item.expires_at ? when(item.expires_at) : "never"}</td>
              <td class="number"><button type="button" class="quiet danger-text" @click=${() => remove(item)}>Revoke<span class="visually-hidden"> ${item.name}</span></button></td></tr>`)}</tbody></table>`
        : nothing}`,
  };
}

function newToken() {
  let made = null;
  let problem = null;
  return (end, again) => {
    const submit = async (event) => {
      event.preventDefault();
      const given = new FormData(event.target);
      try {
        made = await api.addToken(given.get("name").trim(), given.get("role"));
      } catch (found) {
        problem = found;
      }
      again();
    };
    if (made) {
      return html`<p>This is the token. It is shown now and never again.</p>
        <p class="token"><code>${made.secret}</code></p>
        <div class="actions">
          <button type="button" @click=${() => navigator.clipboard?.writeText(made.secret)}>Copy</button>
          <button type="button" class="primary" @click=${() => end(true)}>Done</button>
        </div>`;
    }
    return html`<form @submit=${submit}>
      <label class="field"><span>Name</span><input name="name" required maxlength="128" autocomplete="off" placeholder="Who or what uses it" /></label>
      <fieldset><legend>Role</legend>
        ${Object.entries(ROLES).map(([role, what], at) => html`<label class="choice"><input type="radio" name="role" value=${role} ?checked=${at === 0} />
          <span>${role} <span class="muted">${what}</span></span></label>`)}
      </fieldset>
      ${problemBox(problem)}
      <div class="actions"><button type="button" class="quiet" @click=${() => end()}>Cancel</button>
        <button type="submit" class="primary">Make it</button></div>
    </form>`;
  };
}
