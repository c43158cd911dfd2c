/** Pixel positions of operators from the ranks and rows of the server, and paths of edges. */

export const NODE = { width: 252, height: 92 };
const ROW_GAP = 24;
const MARGIN = 24;

/** A graph from left to right: ranks are columns. */
const RIGHT = {
  length: NODE.width,
  breadth: NODE.height,
  gap: 96,
  ports: { step: 20, most: 56 },
  point: (along, across) => ({ x: along, y: across }),
  straight: "H",
  head: ({ x, y }) => `M${x + 7} ${y}l-7 -4v8z`,
  /** The label at the start of an edge, or at its end: above or below it. */
  label: ({ x, y }, atEnd, away) => ({ x: x + (atEnd ? -4 : 8), y: y + (away > 0 ? 15 : -6), anchor: atEnd ? "end" : "start", away }),
};
/** A graph from top to bottom: ranks are lines. */
const DOWN = {
  length: NODE.height,
  breadth: NODE.width,
  gap: 56,
  ports: { step: 64, most: 180 },
  point: (along, across) => ({ x: across, y: along }),
  straight: "V",
  head: ({ x, y }) => `M${x} ${y + 7}l-4 -7h8z`,
  /** Beside the edge. */
  label: ({ x, y }, atEnd, away) => ({ x: x + away * 8, y: y + (atEnd ? -6 : 15), anchor: away > 0 ? "start" : "end", away: atEnd ? -1 : 1 }),
};

/** The key of an edge in a map of rates. */
export const edgeKey = (edge) => `${edge.from}-${edge.to}-${edge.port}`;

/** The start of a rank, and of a row. */
const alongOf = (rank, { length, gap }) => MARGIN + rank * (length + gap);
const acrossOf = (row, { breadth }) => MARGIN + row * (breadth + ROW_GAP);

/**
 * @param {{nodes: object[], edges: object[]}} graph
 * @param {boolean} down from top to bottom
 * @returns {{down: boolean, width: number, height: number, places: Map<number, {x: number, y: number}>, ways: object[]}}
 */
export function layout(graph, down) {
  const way = down ? DOWN : RIGHT;
  const nodes = new Map(graph.nodes.map((node) => [node.id, node]));
  const last = Math.max(0, ...graph.nodes.map(({ rank }) => rank));
  const rows = graph.edges.flatMap((edge) => edge.via ?? []);
  const widest = Math.max(0, ...graph.nodes.map(({ row }) => row), ...rows);
  const { x, y } = way.point(alongOf(last, way) + way.length + MARGIN, acrossOf(widest, way) + way.breadth + MARGIN);
  return {
    down,
    width: x,
    height: y,
    places: new Map(graph.nodes.map(({ id, rank, row }) => [id, way.point(alongOf(rank, way), acrossOf(row, way))])),
    ways: graph.edges.map((edge) => wayOf(edge, nodes, graph.edges, way)),
  };
}

/** The path of an edge: a curve in each gap between ranks, and straight across the ranks that it passes. */
function wayOf(edge, nodes, edges, way) {
  const { length, breadth, ports } = way;
  const [start, end] = [nodes.get(edge.from), nodes.get(edge.to)];
  const inputs = edges.filter(({ to }) => to === edge.to).length;
  const middle = (row) => acrossOf(row, way) + breadth / 2;
  // Inputs of an operator end beside each other, in the order of their ports.
  const shift = inputs > 1 ? (edge.port - (inputs - 1) / 2) * Math.min(ports.step, ports.most / (inputs - 1)) : 0;
  const from = [alongOf(start.rank, way) + length, middle(start.row)];
  const goal = [alongOf(end.rank, way) - 7, middle(end.row) + shift];
  let at = from;
  let path = `M${point(from, way)}`;
  (edge.via ?? []).forEach((row, number) => {
    const pass = alongOf(start.rank + 1 + number, way);
    path += curve(at, [pass, middle(row)], way) + way.straight + (pass + length);
    at = [pass + length, middle(row)];
  });
  path += curve(at, goal, way);
  // The label is on the side that the edge bends away from; at the end if other edges share the start.
  const shared = edges.some((sibling) => sibling !== edge && sibling.from === edge.from);
  const label = shared ? way.label(way.point(...goal), true, shift > 0 ? 1 : -1) : way.label(way.point(...from), false, goal[1] < from[1] ? 1 : -1);
  return { edge, path, head: way.head(way.point(...goal)), label };
}

function point(at, way) {
  const { x, y } = way.point(...at);
  return `${x} ${y}`;
}

function curve(from, to, way) {
  if (from[1] === to[1]) return way.straight + to[0];
  const middle = (from[0] + to[0]) / 2;
  return `C${[[middle, from[1]], [middle, to[1]], to].map((at) => point(at, way)).join(" ")}`;
}
