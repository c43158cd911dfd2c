import * as api from "../api.js";
import { openDialog } from "../components/dialog.js";
import { problemBox } from "../components/problem.js";
import { NO_PROGRAM, programInput, readProgram } from "../components/program.js";
import { html } from "../lit.js";
import { go } from "../router.js";

/** Ask for a name and a program, and make a pipeline of them. */
export async function newPipeline() {
  let state = { problem: null, busy: false, program: NO_PROGRAM };
  let made = false;

  const name = await openDialog("New pipeline", (end, again) => {
    const set = (part) => {
      state = { ...state, ...part };
      again();
    };
    const submit = async (event) => {
      event.preventDefault();
      const given = new FormData(event.target);
      const called = given.get("name").trim();
      set({ busy: true, problem: null });
      try {
        // A program that does not compile leaves nothing behind but the name, which the next try goes on with.
        if (!made) await api.addPipeline(called, given.get("description").trim());
        made = true;
        await api.addVersion(called, readProgram(state.program), "First version");
        end(called);
      } catch (problem) {
        set({ busy: false, problem });
      }
    };
    return html`<form @submit=${submit}>
      <label class="field"><span>Name</span>
        <input name="name" required pattern="[A-Za-z0-9][A-Za-z0-9._\\-]*" maxlength="128" autocomplete="off"
          title="Letters, digits, dots, dashes and underscores" ?readonly=${made} /></label>
      <label class="field"><span>Description <span class="muted">optional</span></span>
        <input name="description" maxlength="500" autocomplete="off" /></label>
      ${programInput(state.program, (program) => set({ program }))}
      ${problemBox(state.problem)}
      <div class="actions">
        <button type="button" class="quiet" @click=${() => end()}>Cancel</button>
        <button type="submit" class="primary" ?disabled=${state.busy}>${state.busy ? "Compiling…" : "Compile and add"}</button>
      </div>
    </form>`;
  }, { wide: true });
  if (name) go(["pipelines", name]);
}
