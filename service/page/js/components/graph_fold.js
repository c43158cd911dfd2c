/** Graphs in which unchanged operators are folded into one node per connected part. */

/** The number of operators from which a part is folded. */
const LEAST = 2;

/**
 * Fold the unchanged operators before the first and after the last change of a graph.
 *
 * Operators between two changes stay, since folding them could close a cycle.
 * @param {{nodes: object[], edges: object[]}} graph
 * @param {Map<number, string>} changes by operator
 * @returns {{nodes: object[], edges: object[]}} the graph itself if there is nothing to fold
 */
export function folded(graph, changes) {
  const changed = graph.nodes.filter(({ id }) => changes.has(id) && changes.get(id) !== "kept").map(({ id }) => id);
  if (!changed.length) return graph;
  const below = reached(changed, graph.edges, "from", "to");
  const above = reached(changed, graph.edges, "to", "from");
  const folds = [graph.nodes.filter(({ id }) => !below.has(id)), graph.nodes.filter(({ id }) => below.has(id) && !above.has(id))]
    .flatMap((nodes) => parts(nodes, graph.edges))
    .filter((nodes) => nodes.length >= LEAST);
  return folds.length ? drawn(graph, folds) : graph;
}

/** The ids that edges reach from some operators, with these. */
function reached(ids, edges, from, to) {
  const seen = new Set(ids);
  const open = [...ids];
  while (open.length) {
    const id = open.pop();
    for (const edge of edges) {
      if (edge[from] !== id || seen.has(edge[to])) continue;
      seen.add(edge[to]);
      open.push(edge[to]);
    }
  }
  return seen;
}

/** The connected parts of some nodes. */
function parts(nodes, edges) {
  const ids = new Set(nodes.map(({ id }) => id));
  const inner = edges.filter(({ from, to }) => ids.has(from) && ids.has(to));
  const both = [...inner, ...inner.map(({ from, to }) => ({ from: to, to: from }))];
  const groups = [];
  const left = new Set(ids);
  for (const { id } of nodes) {
    if (!left.has(id)) continue;
    const part = reached([id], both, "from", "to");
    part.forEach((member) => left.delete(member));
    groups.push(nodes.filter((node) => part.has(node.id)));
  }
  return groups;
}

function drawn(graph, folds) {
  const fold = new Map();
  folds.forEach((nodes, at) => nodes.forEach(({ id }) => fold.set(id, -1 - at)));
  const nodes = [...graph.nodes.filter(({ id }) => !fold.has(id)), ...folds.map((members, at) => foldNode(members, -1 - at))];
  const edges = new Map();
  for (const edge of graph.edges) {
    const [from, to] = [fold.get(edge.from) ?? edge.from, fold.get(edge.to) ?? edge.to];
    const key = `${from} ${to} ${to < 0 ? 0 : edge.port}`;
    if (from !== to && !edges.has(key)) edges.set(key, { ...edge, from, to, via: [] });
  }
  return ranked(nodes, [...edges.values()]);
}

const foldNode = (members, id) => ({
  id,
  uid: "",
  role: "fold",
  kind: "fold",
  words: `${members.length} unchanged operators`,
  description: members.map(({ words }) => words).join(", "),
  row: members.reduce((sum, { row }) => sum + row, 0) / members.length,
  state: [],
  keeps_state: false,
  problems: [],
});

/** Place nodes: columns by the longest path, rows in the order of the whole graph, with room for passing edges. */
function ranked(nodes, edges) {
  const ranks = new Map();
  const rankOf = (id) => {
    if (!ranks.has(id)) ranks.set(id, Math.max(-1, ...edges.filter(({ to }) => to === id).map(({ from }) => rankOf(from))) + 1);
    return ranks.get(id);
  };
  nodes.forEach(({ id }) => rankOf(id));
  const rows = new Map(nodes.map(({ id, row }) => [id, row]));
  const columns = [];
  const put = (rank, entry) => (columns[rank] ??= []).push(entry);
  nodes.forEach((node) => put(ranks.get(node.id), { row: node.row, node }));
  for (const edge of edges) {
    const [first, last] = [ranks.get(edge.from), ranks.get(edge.to)];
    for (let rank = first + 1; rank < last; rank++) put(rank, { row: (rows.get(edge.from) + rows.get(edge.to)) / 2, edge });
  }
  const most = Math.max(...columns.map((column) => column.length));
  const placed = [];
  columns.forEach((column, rank) => {
    column.sort((a, b) => a.row - b.row);
    column.forEach(({ node, edge }, at) => {
      const row = at + (most - column.length) / 2;
      if (node) placed.push({ ...node, rank, row, order: at });
      else edge.via.push(row);
    });
  });
  return { nodes: placed, edges };
}
