/** Keyboard navigation of a graph: arrow keys move to the nearest operator in that direction. */

const DIRECTIONS = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] };

/** The operator that a key moves to; null for other keys, or if there is none. */
export function nextOperator(graph, from, key) {
  const node = graph.nodes.find(({ id }) => id === from);
  if (!node) return null;
  if (key === "Home") return first(graph, 1);
  if (key === "End") return first(graph, -1);
  const direction = DIRECTIONS[key];
  if (!direction) return null;
  const [across, down] = direction;
  const near = across ? beside(graph, node, across) : inColumn(graph, node, down);
  return near?.id ?? null;
}

/** The neighbour along an edge; of several, the one with the nearest row. */
function beside(graph, node, across) {
  const ids = new Set(
    graph.edges
      .filter((edge) => (across > 0 ? edge.from : edge.to) === node.id)
      .map((edge) => (across > 0 ? edge.to : edge.from)),
  );
  return nearest(graph.nodes.filter(({ id }) => ids.has(id)), node);
}

function inColumn(graph, node, down) {
  const column = graph.nodes.filter(({ rank, row }) => rank === node.rank && (row - node.row) * down > 0);
  return nearest(column, node) ?? nearest(
    graph.nodes.filter(({ rank, row }) => (row - node.row) * down > 0.5 && Math.abs(rank - node.rank) <= 2),
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
