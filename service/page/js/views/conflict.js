import * as api from "../api.js";
import { diffView } from "../components/diff.js";
import { openDialog } from "../components/dialog.js";
import { problemBox } from "../components/problem.js";
import { when } from "../format.js";
import { html, nothing } from "../lit.js";

/**
 * Somebody changed the pipeline while a person edited: show what, and ask whether the edit is still wanted.
 * @returns {Promise<boolean>} whether to go on with the edit on the newer version
 */
export async function somebodyElse(name, mine, theirs, edits) {
  const [version, difference] = await Promise.all([
    api.version(name, theirs).catch((problem) => ({ problem })),
    api.diff(name, mine, theirs).catch((problem) => ({ problem })),
  ]);
  return openDialog(
    "Somebody else was quicker",
    (end) => html`<p>
        Version ${theirs} was made ${version.created_by ? html`by <strong>${version.created_by}</strong>` : nothing}
        ${version.created_at ? when(version.created_at) : ""} while you edited version ${mine}.
        ${version.comment ? html`<q>${version.comment}</q>` : nothing} Nothing of yours was saved.
      </p>
      <h3>What they changed</h3>
      ${difference.problem ? problemBox(difference.problem) : diffView(difference)}
      <h3>What you wanted</h3>
      <ul>${edits.map((edit) => html`<li><code>${edit.state}</code> of node ${edit.node}: ${edit.ttl}</li>`)}</ul>
      <div class="actions">
        <button type="button" class="quiet" @click=${() => end(false)}>Discard mine</button>
        <button type="button" class="primary" autofocus @click=${() => end(true)}>Edit version ${theirs}</button>
      </div>`,
    { wide: true },
  );
}
