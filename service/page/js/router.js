/** Addresses of the page, in the fragment: `#/pipelines/orders/live?hours=6`. */

const ROUTES = [
  { name: "pipelines", parts: ["pipelines"] },
  { name: "pipeline", parts: ["pipelines", ":name"] },
  { name: "pipeline", parts: ["pipelines", ":name", ":tab"] },
  { name: "tokens", parts: ["tokens"] },
  { name: "signin", parts: ["signin"] },
];

/** The route of a fragment; the list of pipelines where it is none. */
export function routeOf(fragment) {
  const [path, query = ""] = fragment.replace(/^#\/?/, "").split("?");
  const parts = path.split("/").filter(Boolean).map(decodeURIComponent);
  const found = ROUTES.find((route) => fits(route.parts, parts)) ?? ROUTES[0];
  const params = {};
  found.parts.forEach((part, at) => {
    if (part.startsWith(":")) params[part.slice(1)] = parts[at];
  });
  return { name: found.name, params, query: Object.fromEntries(new URLSearchParams(query)) };
}

function fits(wanted, parts) {
  return wanted.length === parts.length && wanted.every((part, at) => part.startsWith(":") || part === parts[at]);
}

/** The address of parts and a query: `to(["pipelines", "orders"])`. */
export function to(parts, query = {}) {
  const given = Object.entries(query).filter(([, value]) => value !== "" && value != null);
  const search = new URLSearchParams(given).toString();
  return `#/${parts.map(encodeURIComponent).join("/")}${search ? `?${search}` : ""}`;
}

export function go(parts, query) {
  location.hash = to(parts, query);
}
