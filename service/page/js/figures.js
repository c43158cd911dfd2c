import { edgeKey } from "./components/graph_layout.js";
import { rate, short } from "./format.js";

/** Return true if a pipeline has a process. */
export const isAlive = (pipeline) => hasFigures(pipeline) || ["starting", "migrating", "stopping"].includes(pipeline?.state);

/** Return true if the current run of a pipeline reports micro-batches. */
export const hasFigures = (pipeline) => ["running", "behind", "upgrade-waiting"].includes(pipeline?.state);

/**
 * Words on the operators of a graph: rows per second of tables, state rows.
 * @param {object} graph
 * @param {object|null} current the figures that the service computes
 * @param {boolean} runs false omits the rates
 */
export function figuresOf(graph, current, runs = true) {
  const words = new Map();
  const figures = current?.figures;
  if (!figures) return words;
  const sinks = graph.nodes.filter((node) => node.role === "sink");
  for (const node of graph.nodes) {
    const own = operatorFigures(current, node);
    const read = runs && node.role === "source" ? sourcesOf(node, figures.sources) : [];
    if (read.length) {
      const lag = sum(read, "lag");
      words.set(node.id, [rate(sum(read, "per_second")), lag ? `lag ${short(lag)}` : ""].filter(Boolean));
    } else if (runs && node.role === "sink" && sinks.length === 1 && figures.out_per_second != null) {
      words.set(node.id, [rate(figures.out_per_second)]);
    } else if (own) {
      words.set(node.id, [`${short(own.state_rows)} ${own.state_rows === 1 ? "row" : "rows"}`]);
    }
  }
  return words;
}

/** The sources of a scan: its own source if there is one, otherwise all of its table. */
function sourcesOf(node, sources) {
  const same = node.table ? sources.filter((source) => source.table === node.table) : sources;
  const own = same.filter((source) => source.nodes?.includes(node.id));
  return own.length || !node.table ? own : same;
}

/** The figures that the service computes for an operator; undefined for operators without state. */
export const operatorFigures = (current, node) => (node?.uid ? current?.figures?.operators.find(({ uid }) => uid === node.uid) : undefined);

/** Rows per second by edge, if the graph is that of the running version. */
export const ratesOf = (current, version) => new Map(current?.version === version ? current.edges.map((edge) => [edgeKey(edge), edge.per_second]) : []);

/** The id of the busiest operator; null if none needs a measurable time. */
export function busiestOf(graph, current) {
  const { uid } = current?.figures?.operators.find(({ busiest }) => busiest) ?? {};
  return graph.nodes.find((node) => uid && node.uid === uid)?.id ?? null;
}

const sum = (parts, key) => parts.reduce((total, part) => total + (part[key] ?? 0), 0);
