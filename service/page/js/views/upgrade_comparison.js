/** The comparison of the program in force with another one: verdict, plans side by side, and the ways to go on. */

import { changeWords } from "../components/badges.js";
import { changesOf, diffView, verdictLine } from "../components/diff.js";
import { graphView } from "../components/graph.js";
import { folded } from "../components/graph_fold.js";
import { html, nothing } from "../lit.js";
import { examplesView } from "./upgrade_examples.js";
import { isUnderWay } from "./upgrade_progress.js";
import { shadowView } from "./upgrade_shadow.js";

/** The ids of the two graphs. */
export const SIDES = { old: "upgrade-old", now: "upgrade-new" };

/** The version of the current state: the one that runs or ran last; before the first run the version in force. */
export const held = (pipeline) => pipeline?.version || pipeline?.in_force;

const newName = (target) => (target ? `version ${target}` : "the new program");
const capital = (text) => text[0].toUpperCase() + text.slice(1);

/** The changes by operator of both graphs, and the graphs with unchanged operators folded. */
export function sidesOf({ diff, old, now }) {
  const changes = changesOf(diff, old, now);
  return { changes, folded: { old: folded(old, changes.old), now: folded(now, changes.now) }, all: { old, now } };
}

/** The first changed operator from the left. */
export const firstChanged = (graph, changes) => graph.nodes.filter(({ id }) => (changes.get(id) ?? "kept") !== "kept").sort((a, b) => a.rank - b.rank)[0]?.id;

export function comparison(state, pipeline, act) {
  const { diff, base, target, selected, whole, sides } = state;
  const [inForce, running] = [pipeline?.in_force, held(pipeline)];
  const graphs = whole ? sides.all : sides.folded;
  const folds = Object.keys(SIDES).some((key) => sides.all[key] !== sides.folded[key]);
  const side = (key, title) => html`<section class="side"><h3>${title}</h3>
    ${graphView({ id: SIDES[key], graph: graphs[key], label: `${title}, ${sides.all[key].nodes.length} operators`, selected: selected[key] ?? null, choose: (id) => act.choose(key, id), changes: sides.changes[key], legend: false, down: true })}</section>`;
  return html`<div class="page-head">
      <h2 id="upgrade-title" tabindex="-1">From version ${base} to ${newName(target)}</h2><span class="spacer"></span>
      <button type="button" class="quiet" @click=${act.again}>Another program</button>
    </div>
    ${diff.same ? nothing : verdictLine(diff)}
    ${inForce !== base && inForce !== target ? html`<p class="note">Compared with version ${base}, which holds the state. Version ${inForce} is in force, but does not run.</p>` : nothing}
    ${state.warnings.map((text) => html`<p class="note">${text}</p>`)}
    ${ways(state, { inForce, running, ...act })}
    <div class="change-legend"><span class="legend-marks" aria-hidden="true">${["kept", "moved", "changed", "added", "removed"].map((change) => html`<span><span class="swatch change-${change}"></span>${changeWords(change)}</span>`)}</span>
      <span class="spacer"></span>
      ${folds ? html`<label class="choice"><input type="checkbox" .checked=${whole} @change=${(event) => act.fold(event.target.checked)} /><span>Unchanged operators</span></label>` : nothing}</div>
    <div class="sides">${side("old", `Version ${base}${base === inForce ? ", in force" : ""}`)} ${side("now", `${capital(newName(target))}${target === inForce ? ", in force" : ""}`)}</div>
    ${diffView(diff)}
    ${diff.same || !act.searchExamples ? nothing : examplesView(state.examples, { begin: act.searchExamples, cancel: act.cancelExamples })}
    ${diff.same || !act.compareLive || !pipeline?.version ? nothing : shadowView(state.shadow, { diff, base, target, begin: act.compareLive, cancel: act.endShadow, takeOver: act.takeOver, busy: state.busy || isUnderWay(state.progress) })}`;
}

/** The ways to use the new program, each with its effect. */
function ways({ target, busy, progress }, { inForce, running, mayRun, keep, putInForce, migrate }) {
  const way = (button, effect) => html`<li>${button}<span class="muted">${effect}</span></li>`;
  const ways = [
    target ? nothing : way(html`<button type="button" ?disabled=${busy} @click=${keep}>Save as a version</button>`, "Nothing else changes: neither the run nor the version in force."),
    target && target !== inForce ? way(html`<button type="button" ?disabled=${busy} @click=${putInForce}>Put into force</button>`, "The current run continues; the next start uses it.") : nothing,
    mayRun && target !== running
      ? way(html`<button type="button" class="primary" ?disabled=${busy || isUnderWay(progress)} @click=${migrate}>Migrate to ${newName(target)}</button>`, "The run is replaced now, and its state moves to the new version.")
      : nothing,
  ];
  return ways.every((entry) => entry === nothing) ? nothing : html`<ul class="ways">${ways}</ul>`;
}
