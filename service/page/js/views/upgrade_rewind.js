/** Rewinds: state, positions and output return to an earlier micro-batch, and a version reads the rest again. */

import * as api from "../api.js";
import { openDialog } from "../components/dialog.js";
import { problemBox } from "../components/problem.js";
import { html, nothing } from "../lit.js";

/**
 * Ask for the target of a rewind, and show its effect.
 * @param {string} name of the pipeline
 * @param {number[]} versions those that can start, newest first
 * @returns {Promise<{rewind_to: string, version: number}|undefined>} undefined if it was cancelled
 */
export function askRewind(name, versions) {
  let state = { problem: null, busy: false, effect: null, to: "" };

  return openDialog(`Rewind ${name}?`, (end, again) => {
    const set = (changes) => {
      state = { ...state, ...changes };
      again();
    };
    const submit = async (event) => {
      event.preventDefault();
      const form = new FormData(event.target);
      const to = String(form.get("to")).trim();
      if (state.effect && state.to === to) {
        end({ rewind_to: to, version: Number(form.get("version")) });
        return;
      }
      set({ busy: true, problem: null, effect: null, to });
      try {
        set({ effect: await api.checkRewind(name, to), busy: false });
      } catch (problem) {
        set({ problem, busy: false });
      }
    };
    return html`<form @submit=${submit}>
      <p>State, positions and output return to a micro-batch before a mistake. The version that you choose reads the later rows again, and <em>Roll back</em> undoes it.</p>
      <label class="field"><span>Micro-batch, time or offset <span class="muted">812; 3/812 of generation 3; 2026-05-01T17:00Z; orders:0=1500</span></span>
        <input name="to" autocomplete="off" required autofocus @input=${() => state.effect && set({ effect: null })} /></label>
      <label class="field"><span>Then start</span><select name="version">${versions.map((number) => html`<option value=${number}>Version ${number}</option>`)}</select></label>
      ${state.effect ? effectOf(state.effect) : nothing} ${problemBox(state.problem)}
      <div class="actions">
        <button type="button" class="quiet" @click=${() => end()}>Cancel</button>
        <button type="submit" class=${state.effect ? "danger" : "primary"} ?disabled=${state.busy}>${state.effect ? "Rewind and start" : state.busy ? "Starting Spark…" : "Show the effect"}</button>
      </div>
    </form>`;
  }, { wide: true });
}

const effectOf = ({ origin, batch, begun, batches, sinks }) => html`<section class="losses" role="status">
  <p>After micro-batch ${batch} of generation ${origin}, planned at ${begun}; ${batches} micro-batches are taken back.</p>
  <ul class="diff-list">${sinks.map(({ table, text }) => html`<li class="diff-plain"><p class="diff-name">${table}</p><p>${text}</p></li>`)}</ul>
</section>`;
