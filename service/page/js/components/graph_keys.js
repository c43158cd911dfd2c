/** Keyboard navigation of a graph: arrow keys move to the nearest operator in that direction. */

/** Steps along and across a graph from left to right, and from top to bottom. */
const RIGHT = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] };
const DOWN = { ArrowDown: [1, 0], ArrowUp: [-1, 0], ArrowRight: [0, 1], ArrowLeft: [0, -1] };

/** The operator that a key moves to; null for other keys, or if there is none. */
export function nextOperator(graph, from, key, down) {
  const node = graph.nodes.find(({ id }) => id === from);
  if (!node) return null;
  if (key === "Home") return first(graph, 1);
  if (key === "End") return first(graph, -1);
  const direction = (down ? DOWN : RIGHT)[key];
  if (!direction) return null;
  const [along, across] = direction;
  const near = along ? connected(graph, node, along) : inRank(graph, node, across);
  return near?.id ?? null;
}

/** The neighbour along an edge; of several, the one with the nearest row. */
function connected(graph, node, along) {
  const ids = new Set(
    graph.edges
      .filter((edge) => (along > 0 ? edge.from : edge.to) === node.id)
      .map((edge) => (along > 0 ? edge.to : edge.from)),
  );
  return nearest(graph.nodes.filter(({ id }) => ids.has(id)), node);
}

function inRank(graph, node, across) {
  const others = graph.nodes.filter(({ rank, row }) => rank === node.rank && (row - node.row) * across > 0);
  return nearest(others, node) ?? nearest(
    graph.nodes.filter(({ rank, row }) => (row - node.row) * across > 0.5 && Math.abs(rank - node.rank) <= 2),
    node,
  );
}

function nearest(nodes, from) {
  const far = (node) => Math.abs(node.row - from.row) + Math.abs(node.rank - from.rank) / 4;
  return nodes.reduce((best, node) => (best && far(best) <= far(node) ? best : node), null);
}

function first(graph, sign) {
  return graph.nodes.reduce((best, node) => (!best || (node.rank - best.rank) * sign < 0 ? node : best), null)?.id ?? null;
}
