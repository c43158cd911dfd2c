/** Routes of the page in the URL fragment: `#/pipelines/orders/live?hours=6`. */

const ROUTES = [
  { name: "pipelines", parts: ["pipelines"] },
  { name: "editor", parts: ["new"] },
  { name: "editor", parts: ["pipelines", ":name", "edit"] },
  { name: "pipeline", parts: ["pipelines", ":name"] },
  { name: "pipeline", parts: ["pipelines", ":name", ":tab"] },
  { name: "lineage", parts: ["lineage"] },
  { name: "secrets", parts: ["secrets"] },
  { name: "tokens", parts: ["tokens"] },
  { name: "signin", parts: ["signin"] },
];

/** The route of a fragment; the list of pipelines for an unknown one. */
export function routeOf(fragment) {
  const [path, query = ""] = fragment.replace(/^#\/?/, "").split("?");
  const parts = path.split("/").filter(Boolean).map(decodeURIComponent);
  const route = ROUTES.find((candidate) => fits(candidate.parts, parts)) ?? ROUTES[0];
  const params = {};
  route.parts.forEach((part, at) => {
    if (part.startsWith(":")) params[part.slice(1)] = parts[at];
  });
  return { name: route.name, params, query: Object.fromEntries(new URLSearchParams(query)) };
}

function fits(wanted, parts) {
  return wanted.length === parts.length && wanted.every((part, at) => part.startsWith(":") || part === parts[at]);
}

/** The URL fragment of path segments and a query: `to(["pipelines", "orders"])`. */
export function to(parts, query = {}) {
  const present = Object.entries(query).filter(([, value]) => value !== "" && value != null);
  const search = new URLSearchParams(present).toString();
  return `#/${parts.map(encodeURIComponent).join("/")}${search ? `?${search}` : ""}`;
}

export function go(parts, query) {
  location.hash = to(parts, query);
}
