import { rate } from "../format.js";
import { html, nothing, svg } from "../lit.js";
import { changeWords } from "./badges.js";
import * as icons from "./icons.js";
import { nextOperator } from "./graph_keys.js";
import { edgeKey, layout, NODE } from "./graph_layout.js";
import { rowsOf } from "./ttl.js";

const LEAST = 0.25;
const MOST = 1.5;
/** The smallest scale that shows a whole graph at once; a larger graph is scrolled. */
const SMALLEST = 0.6;
/** The smallest scale at which all texts are legible. */
const LEGIBLE = 0.75;
/** The number of operators above which there is a search field. */
const MANY = 24;
const LAYOUTS = new WeakMap();
const NARROW = matchMedia("(max-width: 640px)");

/** The cached layout of a graph in a direction. */
function layoutOf(graph, down) {
  if (!LAYOUTS.has(graph)) LAYOUTS.set(graph, {});
  return (LAYOUTS.get(graph)[down] ??= layout(graph, down));
}

/** A graph goes down on a narrow screen if it is longer than broad, and where only that shows it whole. */
function placed(graph, always, room) {
  const most = (key) => Math.max(...graph.nodes.map((node) => node[key]));
  const isWhole = (down) => wholeScale(layoutOf(graph, down), room) >= SMALLEST;
  const down = always || (NARROW.matches ? most("rank") >= most("row") : Boolean(room) && !isWhole(false) && isWhole(true));
  return layoutOf(graph, down);
}

const wholeScale = ({ width, height }, room) => Math.min(1, room.width / width, room.height / height);

/**
 * The graph of a plan.
 * @param {object} options
 * @param {string} options.id of the element
 * @param {{nodes: object[], edges: object[]}} options.graph
 * @param {string} options.label accessible label
 * @param {number|null} options.selected
 * @param {(id: number) => void} options.choose
 * @param {Map<number, string[]>} [options.figures] metrics of the run by operator
 * @param {Map<string, number>} [options.rates] rows per second by edge, see `edgeKey`
 * @param {number|null} [options.busiest] the operator with the largest share of time
 * @param {Map<number, string>} [options.changes] changes by operator
 * @param {boolean} [options.legend]
 * @param {boolean} [options.down] from top to bottom on all screens
 * @param {{width: number, height: number}|null} [options.room] the size of the view, as `arrange` reports it
 */
export function graphView({ id, graph, label, selected, choose, figures, rates, busiest = null, changes, legend = true, down = false, room = null }) {
  const positions = placed(graph, down, room);
  const first = selected ?? graph.nodes[0]?.id;
  return html`<div class="graph" id=${id}>
    <div
      class="graph-scroll"
      @wheel=${(event) => wheel(event, id)}
      @pointerdown=${(event) => drag(event)}
      @keydown=${(event) => keys(event, graph, choose, positions.down)}
    >
      <div class="graph-canvas" role="group" aria-label=${label} .layout=${positions}><div class="graph-layer">
        <svg width=${positions.width} height=${positions.height} aria-hidden="true" focusable="false">
          ${positions.ways.map((way) => edge(way, selected, rates?.get(edgeKey(way.edge))))}
        </svg>
        ${graph.nodes.map((node) =>
          operator(node, {
            chosen: node.id === selected,
            reached: node.id === first,
            figures: figures?.get(node.id) ?? [],
            change: changes?.get(node.id),
            busy: node.id === busiest,
            choose,
          }),
        )}
      </div></div>
    </div>
    <div class="graph-foot">
      ${legend
        ? html`<span class="line"></span><span>insert-only</span><span class="line changing"></span><span>updates or deletes</span>
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

function edge({ edge: data, path, head, label }, selected, passing) {
  const changing = data.changelog.some((kind) => kind !== "INSERT");
  const near = selected === data.from || selected === data.to;
  const text = data.exchange.length > 15 ? `${data.exchange.slice(0, 14)}…` : data.exchange;
  return svg`<g class="edge ${changing ? "changing" : ""} ${near ? "near" : ""}">
    <path d=${path} /><path class="head" d=${head} />
    ${text ? svg`<text x=${label.x} y=${label.y} text-anchor=${label.anchor}>${text}</text>` : nothing}
    ${passing == null ? nothing : svg`<text class="edge-rate" x=${label.x} y=${label.y + (text ? label.away * 13 : 0)} text-anchor=${label.anchor}>${rate(passing)}</text>`}
  </g>`;
}

function operator(node, { chosen, reached, figures, change, busy, choose }) {
  const words = [node.words, busy ? "busiest operator" : "", change ? changeWords(change) : "", ...node.state.map(spoken), ...figures];
  const icon = { source: icons.source, sink: icons.sink }[node.role] ?? (node.keeps_state ? icons.stateful : icons.operator);
  return html`<button
    type="button"
    class="node ${node.role} ${node.keeps_state ? "keeps" : ""} ${change ? `change-${change}` : ""} ${node.problems.length ? "faulty" : ""} ${busy ? "busiest" : ""}"
    data-node=${node.id}
    tabindex=${reached ? 0 : -1}
    aria-pressed=${chosen ? "true" : "false"}
    aria-label=${words.filter(Boolean).join(", ")}
    title=${[node.words, node.description].filter(Boolean).join(": ")}
    @click=${() => choose(node.id)}
  >
    <span class="node-title">${icon}<span>${node.words}</span></span>
    <span class="node-line"><span class="node-what">${node.description}</span>
      ${figures.length ? html`<span class="node-figures">${figures.join(" · ")}</span>` : nothing}</span>
    <span class="node-foot">
      ${change && change !== "kept" ? html`<span class="badge change-${change}">${changeWords(change)}</span>` : nothing}
      ${busy ? html`<span class="badge busiest-badge">busiest</span>` : nothing}
      ${node.state.map(chip)}
    </span>
  </button>`;
}

const spoken = (entry, _, all) => `state of ${rowsOf(entry, all)} ${entry.ttl_ms ? `expires after ${entry.effective_ttl}` : "never expires"}`;

/** The TTL of a state entry, with the name of its input if there are several. */
function chip(entry, at, all) {
  const text = entry.ttl_ms ? entry.effective_ttl : "∞";
  return html`<span class="chip ${entry.ttl_ms ? "" : "endless"}">
    ${icons.clock}${all.length > 1 ? html`<span class="chip-of">${rowsOf(entry, all)}</span>` : nothing}${text}
  </span>`;
}

/**
 * Position the operators after each rendering, since the CSP forbids inline styles; returns true for a new layout.
 * @param {string} id
 * @param {object} [options]
 * @param {number} [options.least] the smallest scale of a graph that is scrolled
 * @param {(room: {width: number, height: number}) => void} [options.resized] called with each new size of the view
 */
export function arrange(id, { least = LEGIBLE, resized } = {}) {
  const canvas = document.querySelector(`#${id} .graph-canvas`);
  const positions = canvas?.layout;
  if (!positions || canvas.arranged === positions) return false;
  canvas.arranged = positions;
  for (const element of canvas.querySelectorAll(".node")) {
    const { x, y } = positions.places.get(Number(element.dataset.node));
    element.style.transform = `translate(${x}px, ${y}px)`;
    element.style.width = `${NODE.width}px`;
    element.style.height = `${NODE.height}px`;
  }
  fit(id, least);
  showChosen(canvas);
  follow(id, canvas.parentElement, least, resized);
  return true;
}

const showChosen = (canvas) => canvas.querySelector('[aria-pressed="true"]')?.scrollIntoView({ block: "nearest", inline: "nearest" });

const FOLLOWED = new WeakSet();

/** Fit the graph again when its view gets another width, such as beside an opened panel. */
function follow(id, view, least, resized) {
  if (FOLLOWED.has(view)) return;
  FOLLOWED.add(view);
  let width = 0;
  new ResizeObserver(() => {
    // The height follows the graph, and the inner width its scroll bars.
    if (view.offsetWidth === width || !view.isConnected) return;
    const isFirst = !width;
    width = view.offsetWidth;
    const most = parseFloat(getComputedStyle(view.parentElement).maxHeight);
    resized?.({ width, height: most ? most - view.nextElementSibling.offsetHeight : view.clientHeight });
    const canvas = view.querySelector(".graph-canvas");
    if (isFirst || canvas.dataset.zoomed) return;
    fit(id, least);
    showChosen(canvas);
  }).observe(view);
}

/** Scroll a graph, not the page, so that an operator is near its left edge. */
export function scrollToOperator(id, node) {
  const canvas = document.querySelector(`#${id} .graph-canvas`);
  const place = canvas?.layout?.places.get(node);
  if (!place) return;
  const [scale, scroll] = [scaleOf(canvas), canvas.parentElement];
  scroll.scrollTo(place.x * scale - NODE.width / 2, place.y * scale - scroll.clientHeight / 3);
}

const scaleOf = (canvas) => Number(canvas.dataset.scale ?? 1);

function setScale(id, scale) {
  const canvas = document.querySelector(`#${id} .graph-canvas`);
  const positions = canvas?.layout;
  if (!positions) return;
  const to = Math.min(MOST, Math.max(LEAST, scale));
  canvas.dataset.scale = to;
  canvas.style.setProperty("--scale", to);
  canvas.style.width = `${positions.width * to}px`;
  canvas.style.height = `${positions.height * to}px`;
}

function zoom(id, by) {
  const canvas = document.querySelector(`#${id} .graph-canvas`);
  const scroll = canvas.parentElement;
  const [x, y] = [scroll.scrollLeft + scroll.clientWidth / 2, scroll.scrollTop + scroll.clientHeight / 2];
  const before = scaleOf(canvas);
  canvas.dataset.zoomed = true;
  setScale(id, before * by);
  const ratio = scaleOf(canvas) / before;
  scroll.scrollTo(x * ratio - scroll.clientWidth / 2, y * ratio - scroll.clientHeight / 2);
}

/** Fit the graph into the view, down to a scale at which it stays readable. */
export function fit(id, least = LEGIBLE) {
  const canvas = document.querySelector(`#${id} .graph-canvas`);
  if (!canvas?.layout) return;
  delete canvas.dataset.zoomed;
  // The view grows with the graph up to its maximum.
  setScale(id, 1);
  const { clientWidth, clientHeight } = canvas.parentElement;
  const whole = wholeScale(canvas.layout, { width: clientWidth, height: clientHeight });
  setScale(id, whole >= SMALLEST ? whole : Math.max(least, whole));
}

/** Scroll an operator into view. */
export function showOperator(id, node) {
  document.querySelector(`#${id} [data-node="${node}"]`)?.scrollIntoView({ block: "nearest", inline: "nearest" });
}

/** Scroll an operator into view and focus it. */
export function focusOperator(id, node) {
  const element = document.querySelector(`#${id} [data-node="${node}"]`);
  element?.focus({ preventScroll: true });
  element?.scrollIntoView({ block: "nearest", inline: "nearest" });
}

function keys(event, graph, choose, down) {
  const from = event.target.closest?.("[data-node]");
  if (!from) return;
  const next = nextOperator(graph, Number(from.dataset.node), event.key, down);
  if (next == null) return;
  event.preventDefault();
  const element = event.currentTarget.querySelector(`[data-node="${next}"]`);
  from.tabIndex = -1;
  element.tabIndex = 0;
  element.focus({ preventScroll: true });
  element.scrollIntoView({ block: "nearest", inline: "nearest" });
  // An open panel follows the focus.
  if (event.currentTarget.querySelector('[aria-pressed="true"]')) choose(next, { keep: true });
}

/** On Enter, select the next operator from the left that contains the text. */
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

/** Drag the background to scroll. */
function drag(event) {
  if (event.button !== 0 || event.pointerType === "touch" || event.target.closest(".node")) return;
  const scroll = event.currentTarget;
  const from = { x: event.clientX + scroll.scrollLeft, y: event.clientY + scroll.scrollTop };
  const move = (to) => scroll.scrollTo(from.x - to.clientX, from.y - to.clientY);
  scroll.setPointerCapture(event.pointerId);
  scroll.addEventListener("pointermove", move);
  scroll.addEventListener("pointerup", () => scroll.removeEventListener("pointermove", move), { once: true });
}
