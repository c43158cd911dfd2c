import { rate, short } from "./format.js";
import { perSecond } from "./points.js";

/** What is shown of the last micro-batch on each operator: rows per second of tables, rows of state. */
export function figuresOf(graph, last) {
  const found = new Map();
  if (!last) return found;
  const state = new Map(last.by_operator.map((each) => [each.uid, each]));
  const sources = new Map(last.by_source.map((each) => [each.name.split(".").pop(), each]));
  const sinks = graph.nodes.filter((node) => node.role === "sink");
  for (const node of graph.nodes) {
    const own = state.get(node.uid);
    const table = sources.get(node.words.split(" ").pop());
    if (node.role === "source" && table) {
      found.set(node.id, [rate(perSecond(last, table.rows)), table.lag ? `lag ${short(table.lag)}` : ""].filter(Boolean));
    } else if (node.role === "sink" && sinks.length === 1 && last.rows_out != null) {
      found.set(node.id, [rate(perSecond(last, last.rows_out))]);
    } else if (own) {
      found.set(node.id, [`${short(own.state_rows)} rows`]);
    }
  }
  return found;
}
