import { html, nothing } from "../lit.js";
import { ttl as ttlWords } from "../format.js";
import { changeBadge, verdictBadge, verdictWords } from "./badges.js";

const ORDER = { incompatible: 0, unknown: 1, partial: 2, full: 3 };

/** The differences of two plans (the document of `diff-plan --json`): verdict, operators, sources and sinks. */
export function diffView(document) {
  if (document.same) return html`<p class="note">The two plans are equal.</p>`;
  const operators = [...document.operators].sort((a, b) => ORDER[a.verdict] - ORDER[b.verdict]);
  return html`<div class="diff">
    <div class="verdict verdict-${document.verdict}">
      <strong>${capital(verdictWords(document.verdict))}</strong>
      <p>${counted(operators)}</p>
    </div>
    ${part("The whole program", document.whole.map((edit) => html`<li class="diff-plain">${edits([edit])}</li>`))}
    ${part("Operators with state", operators.map(operator))}
    ${part("Sources", document.sources.map((source) => table(source, source.offsets)))}
    ${part("Sinks", document.sinks.map((sink) => table(sink, sink.gets)))}
    ${document.stateless.length
      ? part("Operators without state", document.stateless.map((edit) => html`<li class="diff-plain">${edits([edit])}</li>`))
      : nothing}
    ${document.next.what ? html`<p class="note">${capital(document.next.what)}.</p>` : nothing}
  </div>`;
}

/** The number of operators by verdict. */
function counted(operators) {
  if (!operators.length) return "No operator has state.";
  const words = Object.keys(ORDER).map((verdict) => [operators.filter((operator) => operator.verdict === verdict).length, verdictWords(verdict)]);
  const present = words.filter(([count]) => count).map(([count, word]) => `${count} ${word}`);
  return `${operators.length} ${operators.length === 1 ? "operator" : "operators"} with state: ${present.join(", ")}.`;
}

const capital = (text) => text[0].toUpperCase() + text.slice(1);

const part = (title, items) =>
  items.length ? html`<section><h3>${title}</h3><ul class="diff-list">${items}</ul></section>` : nothing;

const operator = (diff) =>
  html`<li class="diff-item">
    ${changeBadge(diff.change)}
    <div>
      <p class="diff-name">${diff.words}</p>
      ${diff.place ? html`<p class="muted">now ${diff.place}</p>` : nothing}
      ${reason(diff)} ${edits(diff.edits)} ${ttls(diff.ttls)}
    </div>
    ${verdictBadge(diff.verdict)}
  </li>`;

const table = (diff, says) =>
  html`<li class="diff-item">
    ${changeBadge(diff.change)}
    <div>
      <p class="diff-name">${diff.name} <span class="muted">${says}</span></p>
      ${reason(diff)} ${edits(diff.edits)}
    </div>
    ${verdictBadge(diff.verdict)}
  </li>`;

/** The reason of the verdict, unless an edit has the same. */
const reason = ({ why, edits: changes }) => (why && !changes.some((edit) => edit.why === why) ? html`<p>${why}</p>` : nothing);

const edits = (changes) => changes.map((edit) => oldNew(edit.property, edit.old || "none", edit.new || "none", edit.why));
const ttls = (changes) => changes.map((ttl) => oldNew(`TTL of ${ttl.entry}`, ttlWords(ttl.oldMs), ttlWords(ttl.newMs), ""));

const oldNew = (what, old, now, why) =>
  html`<p class="edit"><span class="muted">${what}</span> <del>${old}</del> <span aria-hidden="true">→</span> <ins>${now}</ins></p>
    ${why ? html`<p>${why}</p>` : nothing}`;

/** The changes by node of the old and of the new plan, for the two graphs. */
export function changesOf(document, oldGraph, newGraph) {
  const old = new Map();
  const now = new Map();
  for (const { oldNode, newNode, change } of document.operators) {
    if (oldNode != null) old.set(oldNode, change);
    if (newNode != null) now.set(newNode, change);
  }
  for (const [parts, role] of [[document.sources, "source"], [document.sinks, "sink"]]) {
    for (const table of parts) {
      mark(old, oldGraph, role, table, "added");
      mark(now, newGraph, role, table, "removed");
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
