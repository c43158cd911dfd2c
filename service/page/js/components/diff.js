import { html, nothing } from "../lit.js";
import { ttl as ttlWords } from "../format.js";
import { changeBadge, verdictBadge, verdictWords } from "./badges.js";

const ORDER = { incompatible: 0, unknown: 1, partial: 2, full: 3 };

/** A difference of two plans (the document of `diff-plan --json`): the verdict, then what became of each part. */
export function diffView(document) {
  if (document.same) return html`<p class="note">The two plans are the same.</p>`;
  const operators = [...document.operators].sort((a, b) => ORDER[a.verdict] - ORDER[b.verdict]);
  return html`<div class="diff">
    <div class="verdict verdict-${document.verdict}">
      <strong>${capital(verdictWords(document.verdict))}</strong>
      <p>${counted(operators)}</p>
    </div>
    ${part("The whole program", document.whole.map((each) => html`<li class="diff-plain">${edits([each])}</li>`))}
    ${part("Operators that keep state", operators.map(operator))}
    ${part("Tables that are read", document.sources.map((each) => table(each, each.offsets)))}
    ${part("Tables that are written", document.sinks.map((each) => table(each, each.gets)))}
    ${document.stateless.length
      ? part("Operators without state", document.stateless.map((each) => html`<li class="diff-plain">${edits([each])}</li>`))
      : nothing}
    ${document.next.what ? html`<p class="note">${capital(document.next.what)}.</p>` : nothing}
  </div>`;
}

/** How many operators go on in which way. */
function counted(operators) {
  if (!operators.length) return "No operator keeps state.";
  const words = Object.keys(ORDER).map((verdict) => [operators.filter((each) => each.verdict === verdict).length, verdictWords(verdict)]);
  const found = words.filter(([count]) => count).map(([count, word]) => `${count} ${word}`);
  return `Of ${operators.length} ${operators.length === 1 ? "operator" : "operators"} that keep state: ${found.join(", ")}.`;
}

const capital = (text) => text[0].toUpperCase() + text.slice(1);

const part = (title, items) =>
  items.length ? html`<section><h3>${title}</h3><ul class="diff-list">${items}</ul></section>` : nothing;

const operator = (each) =>
  html`<li class="diff-item">
    ${changeBadge(each.change)}
    <div>
      <p class="diff-name">${each.words}</p>
      ${each.place ? html`<p class="muted">now ${each.place}</p>` : nothing}
      ${reason(each)} ${edits(each.edits)} ${ttls(each.ttls)}
    </div>
    ${verdictBadge(each.verdict)}
  </li>`;

const table = (each, says) =>
  html`<li class="diff-item">
    ${changeBadge(each.change)}
    <div>
      <p class="diff-name">${each.name} <span class="muted">${says}</span></p>
      ${reason(each)} ${edits(each.edits)}
    </div>
    ${verdictBadge(each.verdict)}
  </li>`;

/** Why, unless one of the edits says it. */
const reason = ({ why, edits: found }) => (why && !found.some((each) => each.why === why) ? html`<p>${why}</p>` : nothing);

const edits = (found) => found.map((each) => oldNew(each.property, each.old || "nothing", each.new || "nothing", each.why));
const ttls = (found) => found.map((each) => oldNew(`TTL of ${each.entry}`, ttlWords(each.oldMs), ttlWords(each.newMs), ""));

const oldNew = (what, old, now, why) =>
  html`<p class="edit"><span class="muted">${what}</span> <del>${old}</del> <span aria-hidden="true">→</span> <ins>${now}</ins></p>
    ${why ? html`<p>${why}</p>` : nothing}`;

/** By node of the old and of the new plan what became of it, for the two graphs. */
export function changesOf(document, oldGraph, newGraph) {
  const old = new Map();
  const now = new Map();
  for (const each of document.operators) {
    if (each.oldNode != null) old.set(each.oldNode, each.change);
    if (each.newNode != null) now.set(each.newNode, each.change);
  }
  for (const [parts, role] of [[document.sources, "source"], [document.sinks, "sink"]]) {
    for (const each of parts) {
      mark(old, oldGraph, role, each, "added");
      mark(now, newGraph, role, each, "removed");
    }
  }
  return { old, now };
}

function mark(changes, graph, role, part, never) {
  if (part.change === never) return;
  for (const node of graph.nodes) {
    if (node.role === role && node.words.endsWith(` ${part.name.split(".").pop()}`)) changes.set(node.id, part.change);
  }
}
