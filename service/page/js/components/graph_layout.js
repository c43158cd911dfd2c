/** Pixel positions of operators from the columns and rows of the server, and paths of edges. */

export const NODE = { width: 252, height: 92 };
const GAP = { x: 96, y: 24 };
const MARGIN = 24;
const STEP = { x: NODE.width + GAP.x, y: NODE.height + GAP.y };

/** The key of an edge in a map of rates. */
export const edgeKey = (edge) => `${edge.from}-${edge.to}-${edge.port}`;

/** The upper left corner of a position. */
const corner = (rank, row) => ({ x: MARGIN + rank * STEP.x, y: MARGIN + row * STEP.y });

/**
 * @param {{nodes: object[], edges: object[]}} graph
 * @returns {{width: number, height: number, places: Map<number, {x: number, y: number}>, ways: object[]}}
 */
export function layout(graph) {
  const places = new Map(graph.nodes.map((node) => [node.id, corner(node.rank, node.row)]));
  const ranks = new Map(graph.nodes.map((node) => [node.id, node.rank]));
  const ways = graph.edges.map((edge) => wayOf(edge, places, ranks, graph.edges));
  const right = Math.max(0, ...graph.nodes.map((node) => node.rank));
  const rows = graph.edges.flatMap((edge) => edge.via ?? []);
  const bottom = Math.max(0, ...graph.nodes.map((node) => node.row), ...rows);
  return {
    width: 2 * MARGIN + right * STEP.x + NODE.width,
    height: 2 * MARGIN + bottom * STEP.y + NODE.height,
    places,
    ways,
  };
}

/** The path of an edge: a curve in each gap between columns, and straight across the columns that it passes. */
function wayOf(edge, places, ranks, edges) {
  const start = places.get(edge.from);
  const end = places.get(edge.to);
  const inputs = edges.filter(({ to }) => to === edge.to).length;
  const middle = NODE.height / 2;
  // Inputs of an operator end below each other, in the order of their ports.
  const shift = inputs > 1 ? (edge.port - (inputs - 1) / 2) * Math.min(20, 56 / (inputs - 1)) : 0;
  let at = { x: start.x + NODE.width, y: start.y + middle };
  let path = `M${at.x} ${at.y}`;
  const rank = ranks.get(edge.from);
  (edge.via ?? []).forEach((row, number) => {
    const pass = corner(rank + 1 + number, row);
    const y = pass.y + middle;
    path += curve(at, { x: pass.x, y }) + `H${pass.x + NODE.width}`;
    at = { x: pass.x + NODE.width, y };
  });
  const goal = { x: end.x - 7, y: end.y + middle + shift };
  path += curve(at, goal);
  return { edge, path, goal, label: labelOf(edge, start, goal, shift, edges) };
}

/** The label's position: at the start of the edge, on the side that it bends away from; at its end if other edges share its start. */
function labelOf(edge, start, goal, shift, edges) {
  if (edges.some((sibling) => sibling !== edge && sibling.from === edge.from)) {
    return { x: goal.x - 4, y: goal.y + (shift > 0 ? 15 : -6), anchor: "end", away: shift > 0 ? 1 : -1 };
  }
  const leaves = start.y + NODE.height / 2;
  const away = goal.y < leaves ? 1 : -1;
  return { x: start.x + NODE.width + 8, y: leaves + (away > 0 ? 15 : -6), anchor: "start", away };
}

function curve(from, to) {
  if (from.y === to.y) return `H${to.x}`;
  const bend = (to.x - from.x) / 2;
  return `C${from.x + bend} ${from.y} ${to.x - bend} ${to.y} ${to.x} ${to.y}`;
}
