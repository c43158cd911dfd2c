import * as api from "../api.js";
import { openDialog } from "../components/dialog.js";
import { problemBox } from "../components/problem.js";
import { NO_PROGRAM, programInput, readProgram, showPlace } from "../components/program.js";
import { html } from "../lit.js";
import { go } from "../router.js";

/** Ask for a name and a program, and create a pipeline. */
export async function newPipeline() {
  let state = { problem: null, busy: false, program: NO_PROGRAM };
  let created = false;

  const name = await openDialog("New pipeline", (end, again) => {
    const set = (part) => {
      state = { ...state, ...part };
      again();
    };
    const submit = async (event) => {
      event.preventDefault();
      const form = new FormData(event.target);
      const chosen = form.get("name").trim();
      set({ busy: true, problem: null });
      try {
        // If the program does not compile, the pipeline remains without versions, and the next attempt uses it.
        if (!created) await api.addPipeline(chosen, form.get("description").trim());
        created = true;
        await api.addVersion(chosen, readProgram(state.program), "First version");
        end(chosen);
      } catch (problem) {
        set({ busy: false, problem });
        showPlace(event.target, problem);
      }
    };
    return html`<form @submit=${submit}>
      <label class="field"><span>Name</span>
        <input name="name" required pattern="[A-Za-z0-9][A-Za-z0-9._\\-]*" maxlength="128" autocomplete="off"
          title="Letters, digits, dots, dashes and underscores" ?readonly=${created} /></label>
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
