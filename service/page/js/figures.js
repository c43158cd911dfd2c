import { rate, short } from "./format.js";
import { isIdle, perSecond } from "./points.js";

/** Whether a pipeline's run goes on. */
export const isAlive = (pipeline) => ["running", "behind", "upgrade-waiting"].includes(pipeline?.state);

/**
 * What is shown of the last micro-batch on each operator: rows per second of tables, rows of state.
 * @param {object} graph
 * @param {object|null} last micro-batch
 * @param {boolean} runs else there is no rate
 */
export function figuresOf(graph, last, runs = true) {
  const found = new Map();
  if (!last) return found;
  const state = new Map(last.by_operator.map((each) => [each.uid, each]));
  const pace = (rows) => rate(isIdle(last) ? 0 : perSecond(last, rows));
  const sinks = graph.nodes.filter((node) => node.role === "sink");
  for (const node of graph.nodes) {
    const own = state.get(node.uid);
    const read = runs && node.role === "source" ? sourcesOf(node, last.by_source) : [];
    if (read.length) {
      const lag = sum(read, "lag");
      found.set(node.id, [pace(sum(read, "rows")), lag ? `lag ${short(lag)}` : ""].filter(Boolean));
    } else if (runs && node.role === "sink" && sinks.length === 1 && last.rows_out != null) {
      found.set(node.id, [pace(last.rows_out)]);
    } else if (own) {
      found.set(node.id, [`${short(own.state_rows)} ${own.state_rows === 1 ? "row" : "rows"}`]);
    }
  }
  return found;
}

/** What a scan reads: the source of its own where it has one, else all of its table. */
function sourcesOf(node, sources) {
  const same = node.table ? sources.filter((each) => each.table === node.table) : sources;
  const own = same.filter((each) => each.nodes?.includes(node.id));
  return own.length || !node.table ? own : same;
}

const sum = (parts, key) => parts.reduce((total, each) => total + (each[key] ?? 0), 0);
