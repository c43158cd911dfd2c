import { html, nothing, svg } from "../lit.js";
import { changeWords } from "./badges.js";
import * as icons from "./icons.js";
import { nextOperator } from "./graph_keys.js";
import { layout, NODE } from "./graph_layout.js";
import { keptOf } from "./ttl.js";

const LEAST = 0.25;
const MOST = 1.5;
/** Above so many operators one is looked for by its name. */
const MANY = 24;
const LAYOUTS = new WeakMap();

/** The layout of a graph, computed once. */
function placed(graph) {
  if (!LAYOUTS.has(graph)) LAYOUTS.set(graph, layout(graph));
  return LAYOUTS.get(graph);
}

/**
 * A plan from left to right.
 * @param {object} options
 * @param {string} options.id of the element
 * @param {{nodes: object[], edges: object[]}} options.graph
 * @param {string} options.label what it is, for who does not see it
 * @param {number|null} options.selected
 * @param {(id: number) => void} options.choose
 * @param {Map<number, string[]>} [options.figures] by operator what is shown of the run
 * @param {Map<number, string>} [options.changes] by operator what became of it
 * @param {boolean} [options.legend]
 */
export function graphView({ id, graph, label, selected, choose, figures, changes, legend = true }) {
  const found = placed(graph);
  const first = selected ?? graph.nodes[0]?.id;
  return html`<div class="graph" id=${id}>
    <div
      class="graph-scroll"
      @wheel=${(event) => wheel(event, id)}
      @pointerdown=${(event) => drag(event)}
      @keydown=${(event) => keys(event, graph, choose)}
    >
      <div class="graph-canvas" role="group" aria-label=${label} .layout=${found}><div class="graph-layer">
        <svg width=${found.width} height=${found.height} aria-hidden="true" focusable="false">
          ${found.ways.map((way) => edge(way, selected))}
        </svg>
        ${graph.nodes.map((node) =>
          operator(node, {
            chosen: node.id === selected,
            reached: node.id === first,
            figures: figures?.get(node.id) ?? [],
            change: changes?.get(node.id),
            choose,
          }),
        )}
      </div></div>
    </div>
    <div class="graph-foot">
      ${legend
        ? html`<span class="line"></span><span>new rows alone</span><span class="line changing"></span><span>rows that change or go</span>
            <span class="spacer"></span><span class="keys-hint">Arrow keys move, Enter opens</span>`
        : html`<span class="spacer"></span>`}
      ${graph.nodes.length > MANY ? html`<input class="find" type="search" aria-label="Find an operator; Enter goes to the next" placeholder="Find an operator" autocomplete="off"
            @input=${(event) => event.target.removeAttribute("aria-invalid")} @keydown=${(event) => find(event, graph, choose)} />` : nothing}
      <div class="graph-tools" role="toolbar" aria-label="Zoom">
        <button type="button" class="quiet square" aria-label="Zoom in" @click=${() => zoom(id, 1.25)}>${icons.plus}</button>
        <button type="button" class="quiet square" aria-label="Zoom out" @click=${() => zoom(id, 0.8)}>${icons.minus}</button>
        <button type="button" class="quiet square" aria-label="Fit" @click=${() => fit(id)}>${icons.fit}</button>
      </div>
    </div>
  </div>`;
}

function edge({ edge: found, path, goal, label }, selected) {
  const changing = found.changelog.some((kind) => kind !== "INSERT");
  const near = selected === found.from || selected === found.to;
  const text = found.exchange.length > 15 ? `${found.exchange.slice(0, 14)}…` : found.exchange;
  return svg`<g class="edge ${changing ? "changing" : ""} ${near ? "near" : ""}">
    <path d=${path} /><path class="head" d=${`M${goal.x + 7} ${goal.y}l-7 -4v8z`} />
    ${text ? svg`<text x=${label.x} y=${label.y} text-anchor=${label.anchor}>${text}</text>` : nothing}
  </g>`;
}

function operator(node, { chosen, reached, figures, change, choose }) {
  const words = [node.words, change ? changeWords(change) : "", ...node.state.map(spoken), ...figures];
  const icon = { source: icons.source, sink: icons.sink }[node.role] ?? (node.keeps_state ? icons.stateful : icons.operator);
  return html`<button
    type="button"
    class="node ${node.role} ${node.keeps_state ? "keeps" : ""} ${change ? `change-${change}` : ""} ${node.problems.length ? "faulty" : ""}"
    data-node=${node.id}
    tabindex=${reached ? 0 : -1}
    aria-pressed=${chosen ? "true" : "false"}
    aria-label=${words.filter(Boolean).join(", ")}
    title=${node.description}
    @click=${() => choose(node.id)}
  >
    <span class="node-title">${icon}<span>${node.words}</span></span>
    <span class="node-line"><span class="node-what">${node.description}</span>
      ${figures.length ? html`<span class="node-figures">${figures.join(" · ")}</span>` : nothing}</span>
    <span class="node-foot">
      ${change && change !== "kept" ? html`<span class="badge change-${change}">${changeWords(change)}</span>` : nothing}
      ${node.state.map(chip)}
    </span>
  </button>`;
}

const spoken = (entry, _, all) => `${keptOf(entry, all)} kept ${entry.ttl_ms ? `for ${entry.effective_ttl}` : "for ever"}`;

/** What is kept and for how long; the name of the input where there is more than one. */
function chip(entry, at, all) {
  const text = entry.ttl_ms ? entry.effective_ttl : "∞";
  return html`<span class="chip ${entry.ttl_ms ? "" : "endless"}">
    ${icons.clock}${all.length > 1 ? html`<span class="chip-of">${keptOf(entry, all)}</span>` : nothing}${text}
  </span>`;
}

/** Put the operators in their places: after each drawing, since styles in markup are not allowed. */
export function arrange(id) {
  const canvas = document.querySelector(`#${id} .graph-canvas`);
  const found = canvas?.layout;
  if (!found || canvas.arranged === found) return;
  canvas.arranged = found;
  for (const element of canvas.querySelectorAll(".node")) {
    const { x, y } = found.places.get(Number(element.dataset.node));
    element.style.transform = `translate(${x}px, ${y}px)`;
    element.style.width = `${NODE.width}px`;
    element.style.height = `${NODE.height}px`;
  }
  fit(id);
}

const scaleOf = (canvas) => Number(canvas.dataset.scale ?? 1);

function setScale(id, scale) {
  const canvas = document.querySelector(`#${id} .graph-canvas`);
  const found = canvas?.layout;
  if (!found) return;
  const to = Math.min(MOST, Math.max(LEAST, scale));
  canvas.dataset.scale = to;
  canvas.style.setProperty("--scale", to);
  canvas.style.width = `${found.width * to}px`;
  canvas.style.height = `${found.height * to}px`;
}

function zoom(id, by) {
  const canvas = document.querySelector(`#${id} .graph-canvas`);
  const scroll = canvas.parentElement;
  const [x, y] = [scroll.scrollLeft + scroll.clientWidth / 2, scroll.scrollTop + scroll.clientHeight / 2];
  const before = scaleOf(canvas);
  setScale(id, before * by);
  const ratio = scaleOf(canvas) / before;
  scroll.scrollTo(x * ratio - scroll.clientWidth / 2, y * ratio - scroll.clientHeight / 2);
}

/** All of it, as far as it stays readable. */
export function fit(id) {
  const canvas = document.querySelector(`#${id} .graph-canvas`);
  if (!canvas?.layout) return;
  const { clientWidth, clientHeight } = canvas.parentElement;
  const { width, height } = canvas.layout;
  setScale(id, Math.max(0.75, Math.min(1, clientWidth / width, clientHeight / height)));
}

/** Bring an operator into sight. */
export function showOperator(id, node) {
  document.querySelector(`#${id} [data-node="${node}"]`)?.scrollIntoView({ block: "nearest", inline: "nearest" });
}

/** Bring an operator into sight and give it the focus. */
export function focusOperator(id, node) {
  const found = document.querySelector(`#${id} [data-node="${node}"]`);
  found?.focus({ preventScroll: true });
  found?.scrollIntoView({ block: "nearest", inline: "nearest" });
}

function keys(event, graph, choose) {
  const from = event.target.closest?.("[data-node]");
  if (!from) return;
  const next = nextOperator(graph, Number(from.dataset.node), event.key);
  if (next == null) return;
  event.preventDefault();
  const element = event.currentTarget.querySelector(`[data-node="${next}"]`);
  from.tabIndex = -1;
  element.tabIndex = 0;
  element.focus({ preventScroll: true });
  element.scrollIntoView({ block: "nearest", inline: "nearest" });
  // With the panel open, it goes along.
  if (event.currentTarget.querySelector('[aria-pressed="true"]')) choose(next, { keep: true });
}

/** Enter: the next operator from the left whose words have the text. */
function find(event, graph, choose) {
  if (event.key !== "Enter") return;
  const text = event.target.value.trim().toLowerCase();
  const nodes = [...graph.nodes].sort((a, b) => a.rank - b.rank || a.order - b.order);
  const fitting = nodes.filter((node) => `${node.words} ${node.description} ${node.uid}`.toLowerCase().includes(text));
  if (!text || !fitting.length) {
    event.target.setAttribute("aria-invalid", text ? "true" : "false");
    return;
  }
  const at = fitting.findIndex((node) => String(node.id) === event.target.dataset.at);
  const next = fitting[(at + 1) % fitting.length];
  event.target.dataset.at = next.id;
  choose(next.id, { keep: true });
}

function wheel(event, id) {
  if (!event.ctrlKey && !event.metaKey) return;
  event.preventDefault();
  zoom(id, event.deltaY < 0 ? 1.1 : 1 / 1.1);
}

/** Drag the empty ground to move the drawing. */
function drag(event) {
  if (event.button !== 0 || event.pointerType === "touch" || event.target.closest(".node")) return;
  const scroll = event.currentTarget;
  const from = { x: event.clientX + scroll.scrollLeft, y: event.clientY + scroll.scrollTop };
  const move = (to) => scroll.scrollTo(from.x - to.clientX, from.y - to.clientY);
  scroll.setPointerCapture(event.pointerId);
  scroll.addEventListener("pointermove", move);
  scroll.addEventListener("pointerup", () => scroll.removeEventListener("pointermove", move), { once: true });
}
