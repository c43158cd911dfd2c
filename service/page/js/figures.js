import { edgeKey } from "./components/graph.js";
import { rate, short } from "./format.js";
import { isIdle, perSecond } from "./points.js";

/** Return true if a pipeline has a process. */
export const isAlive = (pipeline) => hasFigures(pipeline) || ["starting", "migrating", "stopping"].includes(pipeline?.state);

/** Return true if the current run of a pipeline reports micro-batches. */
export const hasFigures = (pipeline) => ["running", "behind", "upgrade-waiting"].includes(pipeline?.state);

/**
 * Metrics of the last micro-batch by operator: rows per second of tables, state rows.
 * @param {object} graph
 * @param {object|null} last micro-batch
 * @param {boolean} runs false omits the rates
 */
export function figuresOf(graph, last, runs = true) {
  const figures = new Map();
  if (!last) return figures;
  const state = new Map(last.by_operator.map((entry) => [entry.uid, entry]));
  const pace = (rows) => rate(isIdle(last) ? 0 : perSecond(last, rows));
  const sinks = graph.nodes.filter((node) => node.role === "sink");
  for (const node of graph.nodes) {
    const own = state.get(node.uid);
    const read = runs && node.role === "source" ? sourcesOf(node, last.by_source) : [];
    if (read.length) {
      const lag = sum(read, "lag");
      figures.set(node.id, [pace(sum(read, "rows")), lag ? `lag ${short(lag)}` : ""].filter(Boolean));
    } else if (runs && node.role === "sink" && sinks.length === 1 && last.rows_out != null) {
      figures.set(node.id, [pace(last.rows_out)]);
    } else if (own) {
      figures.set(node.id, [`${short(own.state_rows)} ${own.state_rows === 1 ? "row" : "rows"}`]);
    }
  }
  return figures;
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
