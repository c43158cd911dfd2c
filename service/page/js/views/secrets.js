import * as api from "../api.js";
import { confirm, openDialog, tell } from "../components/dialog.js";
import { plus } from "../components/icons.js";
import { problemBox } from "../components/problem.js";
import { when } from "../format.js";
import { html, nothing } from "../lit.js";
import { createStore } from "../store.js";

/** Secrets to which programs refer: set, listed without their values, deleted. */
export function secretsView() {
  const store = createStore({ items: null, problem: null });

  async function load() {
    try {
      const { items } = await api.secrets();
      store.set({ items, problem: null });
    } catch (problem) {
      store.set({ problem });
    }
  }

  async function put(item) {
    if (await openDialog(item ? `Replace ${item.name}` : "New secret", form(item))) tell("Runs take the value at their next start");
    load();
  }

  async function remove(item) {
    if (!(await confirm(`Delete ${item.name}?`, "The next start of a pipeline that refers to it is refused.", "Delete", { danger: true }))) return;
    try {
      await api.removeSecret(item.name);
      tell(`${item.name} is deleted`);
    } catch (problem) {
      store.set({ problem });
    }
    load();
  }

  return {
    store,
    start: load,
    resume: load,
    render: ({ items, problem }) => html`<div class="page-head"><h1>Secrets</h1><span class="spacer"></span>
        <button type="button" class="primary" @click=${() => put()}>${plus}New secret</button></div>
      ${problemBox(problem)}
      ${items && !items.length ? html`<p class="empty">No secrets yet. Programs refer to one as ${"${secret:NAME}"}; its value is never shown.</p>` : nothing}
      ${items?.length
        ? html`<table class="wide-table"><thead><tr><th scope="col">Name</th><th scope="col">Pipelines</th><th scope="col">Previews</th>
            <th scope="col">Changed</th><th scope="col">By</th><th scope="col"><span class="visually-hidden">Actions</span></th></tr></thead>
            <tbody>${items.map((item) => html`<tr><th scope="row">${item.name}</th><td>${item.pipelines.map((name) => (name === "*" ? "all" : name)).join(", ")}</td>
              <td>${item.previews ? "yes" : "no"}</td><td>${when(item.changed_at)}</td><td>${item.changed_by}</td>
              <td class="number"><button type="button" class="quiet" @click=${() => put(item)}>Replace<span class="visually-hidden"> ${item.name}</span></button>
                <button type="button" class="quiet danger-text" @click=${() => remove(item)}>Delete<span class="visually-hidden"> ${item.name}</span></button></td></tr>`)}</tbody></table>`
        : nothing}`,
  };
}

/** The form of a new secret, or of the new value of one. */
function form(item) {
  let problem = null;
  return (end, again) => {
    const submit = async (event) => {
      event.preventDefault();
      const fields = new FormData(event.target);
      const pipelines = fields.get("pipelines").split(",").map((name) => name.trim()).filter(Boolean);
      try {
        await api.putSecret(item?.name ?? fields.get("name").trim(), { secret: fields.get("secret"), pipelines, previews: fields.has("previews") });
        end(true);
      } catch (error) {
        problem = error;
        again();
      }
    };
    return html`<form @submit=${submit} autocomplete="off">
      ${item ? nothing : html`<label class="field"><span>Name</span><input name="name" required maxlength="127" pattern="[A-Za-z_][A-Za-z0-9_.\\-]*" placeholder="SHOP_PASSWORD" /></label>`}
      <label class="field"><span>Value</span><input name="secret" type="password" required maxlength="100000" autocomplete="new-password" /></label>
      <label class="field"><span>Pipelines, separated by commas; * for all</span><input name="pipelines" required value=${item?.pipelines.join(", ") ?? ""} /></label>
      <label class="choice"><input type="checkbox" name="previews" ?checked=${item?.previews} />
        <span>Previews <span class="muted">editors, who start them, can send it to a server of their choice</span></span></label>
      ${problemBox(problem)}
      <div class="actions"><button type="button" class="quiet" @click=${() => end()}>Cancel</button>
        <button type="submit" class="primary">Save</button></div>
    </form>`;
  };
}
