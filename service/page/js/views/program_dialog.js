import * as api from "../api.js";
import { openDialog, tell } from "../components/dialog.js";
import { html } from "../lit.js";

/** Show the program of a version, with a copy button. */
export async function showProgram(name, number) {
  let program;
  try {
    ({ program } = await api.version(name, number));
  } catch (problem) {
    tell(problem.message);
    return;
  }
  const copy = async () => {
    await navigator.clipboard.writeText(program);
    tell("Copied");
  };
  const text = api.legibleText(program);
  openDialog(`Program of version ${number}`, () => html`<pre class="program-text" tabindex="0" role="group" aria-label="Program"><code>${text}</code></pre>
    ${navigator.clipboard ? html`<div class="actions"><button type="button" @click=${copy}>Copy</button></div>` : ""}`, { wide: true });
}
