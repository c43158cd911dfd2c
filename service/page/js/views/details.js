import * as api from "../api.js";
import { openDialog } from "../components/dialog.js";
import { problemBox } from "../components/problem.js";
import { html } from "../lit.js";

/**
 * Edit description, owner and tags of a pipeline.
 * @returns {Promise<boolean>} true if they were saved
 */
export function editDetails(pipeline) {
  let problem = null;
  return openDialog(`Details of ${pipeline.name}`, (end, again) => {
    const submit = async (event) => {
      event.preventDefault();
      const form = new FormData(event.target);
      const changes = {
        description: form.get("description").trim(),
        owner: form.get("owner").trim(),
        tags: form.get("tags").toLowerCase().split(/[\s,]+/).filter(Boolean),
      };
      try {
        await api.changePipeline(pipeline.name, changes, pipeline.etag);
        end(true);
      } catch (error) {
        problem = error;
        again();
      }
    };
    return html`<form @submit=${submit}>
      <label class="field"><span>Description</span><input name="description" maxlength="500" autocomplete="off" value=${pipeline.description} /></label>
      <label class="field"><span>Owner</span><input name="owner" maxlength="128" autocomplete="off" value=${pipeline.owner} placeholder="A person or a team" /></label>
      <label class="field"><span>Tags</span><input name="tags" maxlength="500" autocomplete="off" value=${pipeline.tags.join(" ")} placeholder="eu gold" />
        <span class="muted">Lower-case words, with spaces between them</span></label>
      ${problemBox(problem)}
      <div class="actions"><button type="button" class="quiet" @click=${() => end(false)}>Cancel</button><button type="submit" class="primary">Save</button></div>
    </form>`;
  });
}
