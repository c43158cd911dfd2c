import * as api from "../api.js";
import { diffView, verdictLine } from "../components/diff.js";
import { openDialog } from "../components/dialog.js";
import { problemBox } from "../components/problem.js";
import { when } from "../format.js";
import { html, nothing } from "../lit.js";

/**
 * Show a concurrent change of the pipeline, and ask whether to repeat the edit.
 * @returns {Promise<boolean>} true to repeat the edit on the newer version
 */
export async function showConflict(name, mine, theirs, edits) {
  const [version, difference] = await Promise.all([
    api.version(name, theirs).catch((problem) => ({ problem })),
    api.diff(name, mine, theirs).catch((problem) => ({ problem })),
  ]);
  return openDialog(
    "Edit conflict",
    (end) => html`<p>
        Version ${theirs} was created ${version.created_by ? html`by <strong>${version.created_by}</strong>` : nothing}
        ${version.created_at ? when(version.created_at) : ""} while you were editing version ${mine}.
        ${version.comment ? html`<q>${version.comment}</q>` : nothing} Your edit was not saved.
      </p>
      <h3>Their changes</h3>
      ${difference.problem ? problemBox(difference.problem) : html`${difference.same ? nothing : verdictLine(difference)}${diffView(difference)}`}
      <h3>Your edit</h3>
      <ul>${edits.map((edit) => html`<li><code>${edit.state}</code> of node ${edit.node}: ${edit.ttl}</li>`)}</ul>
      <div class="actions">
        <button type="button" class="quiet" @click=${() => end(false)}>Discard mine</button>
        <button type="button" class="primary" autofocus @click=${() => end(true)}>Edit version ${theirs}</button>
      </div>`,
    { wide: true },
  );
}
