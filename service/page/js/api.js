/** The HTTP API. Every path of it that the page knows is here. */

const BASE = "api/v1";
/** What every change of a session carries, against other sites. */
let guard = "";

/** An answer of the API that says what is wrong (RFC 9457). */
export class Problem extends Error {
  constructor(status, document) {
    super(document.detail ?? document.title ?? `the service answered ${status}`);
    this.status = status;
    this.where = document.where ?? "";
    this.value = document.value;
    this.remedy = document.remedy ?? "";
  }
}

/** Characters that turn the text around them: shown as what they are, so that no name passes for another. */
const TURNS = /[\u202a-\u202e\u2066-\u2069]/g;
/** What is sent back as it came. */
const PROGRAMS = /\/versions\/\d+$/;
export const legibleText = (text) => text.replace(TURNS, "\ufffd");
const legible = (_, value) => (typeof value === "string" ? legibleText(value) : value);

let onSignedOut = () => {};

/** What to do where the service asks for a token. */
export function whenSignedOut(act) {
  onSignedOut = act;
}

async function request(method, path, { body, headers = {}, text = false } = {}) {
  const given = { accept: text ? "text/plain" : "application/json", ...headers };
  if (body !== undefined) given["content-type"] = "application/json";
  if (method !== "GET" && guard) given["x-csrf-token"] = guard;
  let answer;
  try {
    answer = await fetch(`${BASE}${path}`, {
      method,
      headers: given,
      body: body === undefined ? undefined : JSON.stringify(body),
      credentials: "same-origin",
    });
  } catch {
    throw new Problem(0, { detail: "the service does not answer", remedy: "is plan-service running?" });
  }
  if (!answer.ok) {
    const found = new Problem(answer.status, await answer.json().catch(() => ({})));
    if (answer.status === 401 && path !== "/session") onSignedOut();
    throw found;
  }
  const etag = answer.headers.get("etag");
  if (answer.status === 204) return { etag };
  const document = text ? await answer.text() : JSON.parse(await answer.text(), PROGRAMS.test(path) ? undefined : legible);
  return etag && !text && !Array.isArray(document) ? { ...document, etag } : document;
}

const get = (path, options) => request("GET", path, options);
const post = (path, body, headers) => request("POST", path, { body, headers });
const of = (name) => `/pipelines/${encodeURIComponent(name)}`;

function query(values) {
  const given = Object.entries(values).filter(([, value]) => value !== "" && value != null);
  return given.length ? `?${new URLSearchParams(given)}` : "";
}

export async function me() {
  const found = await get("/me");
  guard = found.csrf_token ?? "";
  return found;
}

export async function signIn(token) {
  guard = (await post("/session", { token })).csrf_token;
}

export async function signOut() {
  await request("DELETE", "/session").catch(() => {});
  guard = "";
}

/** Whether this service looks after runs: what it can do is what its description has. */
export async function canRun() {
  const { paths } = await get("/openapi.json");
  return Object.keys(paths).some((path) => path.endsWith("/pipelines/{name}/run/start"));
}

export const tokens = () => get("/tokens");
export const addToken = (name, role) => post("/tokens", { name, role });
export const removeToken = (id) => request("DELETE", `/tokens/${encodeURIComponent(id)}`);

export const pipelines = (q, state, cursor, limit = 100) => get(`/pipelines${query({ q, state, cursor, limit })}`);
/** What a program, or a plan, would be over the version in force; nothing is kept. */
export const compile = (body, over) => post("/compile", { ...body, over });
export const pipeline = (name) => get(of(name));
export const addPipeline = (name, description) => post("/pipelines", { name, description });
export const removePipeline = (name) => request("DELETE", of(name));

export const versions = (name, cursor) => get(`${of(name)}/versions${query({ cursor, limit: 100 })}`);
export const version = (name, number) => get(`${of(name)}/versions/${number}`);
export const addVersion = (name, body, comment) => post(`${of(name)}/versions`, { ...body, comment });
export const graph = (name, number) => get(`${of(name)}/versions/${number}/graph`);
export const planAddress = (name, number) => `${BASE}${of(name)}/versions/${number}/plan`;
export const diff = (name, from, until) => get(`${of(name)}/diff${query({ from, to: until })}`);
export const putInForce = (name, number, etag) =>
  request("PUT", `${of(name)}/in-force`, { body: { version: number }, headers: { "if-match": etag } });

export const checkTtl = (name, number, edits) => post(`${of(name)}/versions/${number}/ttl/check`, { edits });
export const setTtl = (name, number, edits, comment, etag) =>
  post(`${of(name)}/versions/${number}/ttl`, { edits, comment }, { "if-match": etag });

/** What of an operator's state TTLs would remove now: asked of its checkpoint, which takes some seconds. */
export async function whatIf(name, uid, edits) {
  const asked = new URLSearchParams([["operator", uid], ...edits.map((edit) => ["what_if", `${edit.state}=${edit.ttl}`])]);
  const { state } = await get(`${of(name)}/state?${asked}`);
  return state.operators
    .flatMap((each) => each.parts)
    .filter((part) => part.whatIf && edits.some((edit) => edit.state === part.name))
    .map((part) => ({ entry: part.name, rows: part.whatIf.expired, of: part.entries }));
}

export const run = (name) => get(`${of(name)}/run`);
export const startRun = (name, how = {}) => post(`${of(name)}/run/start`, how, { "idempotency-key": crypto.randomUUID() });
export const stopRun = (name) => post(`${of(name)}/run/stop`, {}, { "idempotency-key": crypto.randomUUID() });
export const history = (name, hours) => get(`${of(name)}/run/history${query({ hours })}`);
export const logs = (name, tail) => get(`${of(name)}/run/logs${query({ tail })}`);
export const progressAddress = (name) => `${BASE}${of(name)}/run/progress`;

export const checkUpgrade = (name, number) => post(`${of(name)}/upgrade/check`, { version: number });
export const migrate = (name, number, how) => post(`${of(name)}/upgrade/migrate`, { version: number, ...how });
export const rollBack = (name) => post(`${of(name)}/upgrade/rollback`, {});
export const upgrade = (name) => get(`${of(name)}/upgrade`);
