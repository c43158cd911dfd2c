import { html, nothing } from "../lit.js";
import { ttl as ttlWords } from "../format.js";
import { changeBadge, verdictBadge } from "./badges.js";

const ORDER = { incompatible: 0, unknown: 1, partial: 2, full: 3 };

/** The differences of two plans (the document of `diff-plan --json`): verdict, operators, sources and sinks. */
export function diffView(document) {
  if (document.same) return html`${refusals(document.new)}<p class="note">The two plans are equal.</p>`;
  const operators = [...document.operators].sort((a, b) => ORDER[a.verdict] - ORDER[b.verdict]);
  return html`<div class="diff">
    ${refusals(document.new)}
    ${part("The whole program", document.whole.map((edit) => html`<li class="diff-plain">${edits([edit])}</li>`))}
    ${part("Operators with state", operators.map(operator))}
    ${part("Sources", document.sources.map((source) => table(source, `offsets: ${source.offsets}`)))}
    ${part("Sinks", document.sinks.map((sink) => table(sink, `receives ${sink.gets}`)))}
    ${document.stateless.length
      ? part("Operators without state", document.stateless.map((edit) => html`<li class="diff-plain">${edits([edit])}</li>`))
      : nothing}
    ${document.next.what ? html`<p class="note">${capital(document.next.what)}.</p>` : nothing}
  </div>`;
}

/** Why the new plan does not run. */
const refusals = (side) => part("The new plan does not run", side.refusals.map(({ message, where, remedy }) =>
  html`<li class="diff-plain"><p>${message}</p><p class="muted">${where}${remedy ? html`: ${remedy}` : nothing}</p></li>`));

/** The verdict in one line, and the numbers of operators whose state is kept, lost or refused. */
export function verdictLine(document) {
  return html`<div class="verdict verdict-${document.verdict}">
    <strong>${capital(document.summary)}</strong>
    <p>${counted(document.operators)}</p>
  </div>`;
}

function counted(operators) {
  const old = operators.filter(({ change }) => change !== "added");
  if (!old.length) return "No operator has state from before.";
  const refused = old.filter(isRefused);
  const lost = old.filter((operator) => !isRefused(operator) && operator.lostState !== "nothing");
  const kept = old.length - refused.length - lost.length;
  const words = [[kept, "without loss"], [lost.length, "with a loss"], [refused.length, "refused unless started empty"]];
  return `State of ${old.length} ${old.length === 1 ? "operator" : "operators"}: ${words.filter(([count]) => count).map(([count, text]) => `${count} ${text}`).join(", ")}.`;
}

const isRefused = ({ newNode, verdict }) => newNode != null && verdict === "incompatible";

/** What an upgrade loses: `[{name, text}]` of operators, sources, sinks and the whole program. */
export function lossesOf(document) {
  const operators = document.operators.filter(({ lostState }) => lostState !== "nothing");
  const partial = ({ verdict }) => verdict !== "full";
  return [
    ...operators.map((operator) => ({ name: operator.words, text: operator.lostState === "all" ? "all of its state" : operator.lostState })),
    ...[...document.sources, ...document.sinks].filter(partial).map(({ name, why }) => ({ name, text: why })),
    ...document.whole.filter(partial).map(({ property, why }) => ({ name: property, text: why })),
  ];
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

const edits = (changes) => changes.map((edit) => (isWhole(edit) ? one(edit) : oldNew(edit.property, edit.old || "none", edit.new || "none", edit.why)));

/** An edit of a property that has no value: it was added or removed itself. */
const isWhole = (edit) => (!edit.old && edit.new === "added") || (!edit.new && edit.old === "removed");
const one = (edit) => html`<p class="edit">${edit.new ? html`<ins>${edit.property}</ins> added` : html`<del>${edit.property}</del> removed`}</p>
  ${edit.why ? html`<p>${edit.why}</p>` : nothing}`;
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
  markStateless(old, oldGraph, now, newGraph);
  return { old, now };
}

/** Mark operators without state that have no equal in the other plan. */
function markStateless(old, oldGraph, now, newGraph) {
  const left = [];
  for (const node of newGraph.nodes) if (isStateless(node)) left.push(node);
  for (const node of oldGraph.nodes.filter(isStateless)) {
    const at = left.findIndex((candidate) => signature(candidate) === signature(node));
    if (at < 0) old.set(node.id, "removed");
    else left.splice(at, 1);
  }
  for (const { id } of left) now.set(id, "added");
}

const isStateless = (node) => node.role === "operator" && !node.keeps_state;
const signature = ({ type, description, columns }) => JSON.stringify([type, description, columns]);

function mark(changes, graph, role, part, never) {
  if (part.change === never) return;
  for (const node of graph.nodes) {
    if (node.role === role && node.words.endsWith(` ${part.name.split(".").pop()}`)) changes.set(node.id, part.change);
  }
}
