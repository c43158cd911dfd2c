/** The HTTP API: all paths that the page uses. */

const BASE = "api/v1";
/** The CSRF token of the session, sent with every change. */
let csrfToken = "";

/** An error response of the API: problem details (RFC 9457). */
export class Problem extends Error {
  constructor(status, document) {
    super(document.detail ?? document.title ?? `the service answered ${status}`);
    this.status = status;
    this.where = document.where ?? "";
    this.value = document.value;
    this.remedy = document.remedy ?? "";
  }
}

/** Bidirectional control characters, replaced so that one name cannot imitate another. */
const BIDI_CONTROLS = /[\u202a-\u202e\u2066-\u2069]/g;
/** The same in JSON, where they may be escaped. A reviver takes longer than the parser, so that only such texts get one. */
const BIDI_JSON = /[\u202a-\u202e\u2066-\u2069]|\\u20(2[a-e]|6[6-9])/i;
/** Responses with programs, which editors send back unchanged. */
const PROGRAMS = /\/versions\/\d+$/;
export const legibleText = (text) => text.replace(BIDI_CONTROLS, "\ufffd");
const legible = (_, value) => (typeof value === "string" ? legibleText(value) : value);

let onSignedOut = () => {};
let onReach = () => {};

/** Set the action for requests that are not authenticated. */
export function whenSignedOut(act) {
  onSignedOut = act;
}

/** Set the action for each request: called with false if the service did not respond. */
export function whenReached(act) {
  onReach = act;
}

async function request(method, path, { body, headers = {}, text = false } = {}) {
  const sent = { accept: text ? "text/plain" : "application/json", ...headers };
  if (body !== undefined) sent["content-type"] = "application/json";
  if (method !== "GET" && csrfToken) sent["x-csrf-token"] = csrfToken;
  let response;
  try {
    response = await fetch(`${BASE}${path}`, {
      method,
      headers: sent,
      body: body === undefined ? undefined : JSON.stringify(body),
      credentials: "same-origin",
    });
  } catch {
    onReach(false);
    throw new Problem(0, { detail: "the service does not respond", remedy: "try again when the page is connected" });
  }
  onReach(true);
  if (!response.ok) {
    const problem = new Problem(response.status, await response.json().catch(() => ({})));
    if (response.status === 401 && path !== "/session") onSignedOut();
    throw problem;
  }
  const etag = response.headers.get("etag");
  if (response.status === 204) return { etag };
  const document = text ? await response.text() : parse(await response.text(), path);
  return etag && !text && !Array.isArray(document) ? { ...document, etag } : document;
}

const parse = (text, path) => JSON.parse(text, BIDI_JSON.test(text) && !PROGRAMS.test(path) ? legible : undefined);
const get = (path, options) => request("GET", path, options);
export const health = () => get("/health");
const post = (path, body, headers) => request("POST", path, { body, headers });
const of = (name) => `/pipelines/${encodeURIComponent(name)}`;

function query(values) {
  const present = Object.entries(values).filter(([, value]) => value !== "" && value != null);
  return present.length ? `?${new URLSearchParams(present)}` : "";
}

export async function me() {
  const client = await get("/me");
  csrfToken = client.csrf_token ?? "";
  return client;
}

export async function signIn(token) {
  csrfToken = (await post("/session", { token })).csrf_token;
}

export async function signOut() {
  await request("DELETE", "/session").catch(() => {});
  csrfToken = "";
}

export const secrets = () => get("/secrets");
export const putSecret = (name, body) => request("PUT", `/secrets/${encodeURIComponent(name)}`, { body });
export const removeSecret = (name) => request("DELETE", `/secrets/${encodeURIComponent(name)}`);
export const tokens = () => get("/tokens");
export const addToken = (name, role) => post("/tokens", { name, role });
export const removeToken = (id) => request("DELETE", `/tokens/${encodeURIComponent(id)}`);

/** @param {{q?: string, state?: string, owner?: string, tag?: string, sort?: string, cursor?: string, limit?: number}} wanted */
export const pipelines = (wanted) => get(`/pipelines${query(wanted)}`);
export const changePipeline = (name, changes, etag) => request("PATCH", of(name), { body: changes, headers: { "if-match": etag } });
/** Compile a program over the version in force, or read a plan, without storing it. */
export const compile = (body, over) => post("/compile", { ...body, over });
/** Completions at the cursor in a SQL script. */
export const complete = (before, after) => post("/complete", { before, after });
/** Run tests of a program, without storing it. */
export const beginTests = (body) => post("/tests", body);
export const testNames = (text) => post("/tests/names", { tests: text });
export const tests = (id) => get(`/tests/${encodeURIComponent(id)}`);
export const cancelTests = (id) => request("DELETE", `/tests/${encodeURIComponent(id)}`);
/** Search examples of the change from the last program of a pipeline to another one. */
export const beginExamples = (pipeline, change) => post("/examples", { pipeline, ...change });
export const examples = (id) => get(`/examples/${encodeURIComponent(id)}`);
export const cancelExamples = (id) => request("DELETE", `/examples/${encodeURIComponent(id)}`);
/** The client's last preview of rows. */
export const preview = () => get("/preview");
/** @param {{program?: string, over?: string, options?: object, version?: number, cursor?: number, table?: string, node?: number}} question */
export const beginPreview = (question) => post("/preview", question);
export const cancelPreview = () => request("DELETE", "/preview");
/** The last tap of a run: rows that an operator emits or receives. */
export const tap = (name) => get(`${of(name)}/run/tap`);
export const beginTap = (name, node, input) => post(`${of(name)}/run/tap`, { node, input });
export const closeTap = (name) => request("DELETE", `${of(name)}/run/tap`);
export const words = () => get("/words");
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

/** The last job that reads state. */
export const stateJob = (name) => get(`${of(name)}/state/job`);
export const beginStateJob = (name, question) => post(`${of(name)}/state/job`, question);
export const cancelStateJob = (name) => request("DELETE", `${of(name)}/state/job`);

/**
 * Read state in a job.
 * @param {(job: object) => boolean} goesOn called with its progress each second; false cancels it
 */
async function readState(name, question, goesOn) {
  let job = await beginStateJob(name, question);
  while (job.state === "running") {
    if (!goesOn(job)) await cancelStateJob(name);
    await new Promise((resolve) => setTimeout(resolve, 1000));
    job = await stateJob(name);
  }
  if (job.state !== "done") throw new Problem(0, { detail: job.message || "the count was cancelled", remedy: job.remedy });
  return job.result;
}

/** The rows of an operator's state that TTLs would expire now, from its checkpoint; `goesOn` as for `readState`. */
export async function whatIf(name, uid, edits, goesOn) {
  const { state } = await readState(name, { operator: uid, what_if: edits.map((edit) => `${edit.state}=${edit.ttl}`) }, goesOn);
  return state.operators
    .flatMap((operator) => operator.parts)
    .filter((part) => part.whatIf && edits.some((edit) => edit.state === part.name))
    .map((part) => ({ entry: part.name, rows: part.whatIf.expired, of: part.entries }));
}

export const run = (name) => get(`${of(name)}/run`);
export const startRun = (name, how = {}) => post(`${of(name)}/run/start`, how, { "idempotency-key": crypto.randomUUID() });
export const stopRun = (name) => post(`${of(name)}/run/stop`, {}, { "idempotency-key": crypto.randomUUID() });
export const history = (name, hours) => get(`${of(name)}/run/history${query({ hours })}`);
export const figures = (name) => get(`${of(name)}/run/figures`);
export const alerts = (pipeline = "") => get(`/alerts${query({ pipeline })}`);
export const lineage = () => get("/lineage");
export const logs = (name, tail) => get(`${of(name)}/run/logs${query({ tail })}`);
export const progressAddress = (name) => `${BASE}${of(name)}/run/progress`;

export const checkUpgrade = (name, number) => post(`${of(name)}/upgrade/check`, { version: number });
export const migrate = (name, number, how) => post(`${of(name)}/upgrade/migrate`, { version: number, ...how });
export const rollBack = (name) => post(`${of(name)}/upgrade/rollback`, {});
export const checkRewind = (name, to) => post(`${of(name)}/upgrade/rewind/check`, { to });
/** The last shadow run of a pipeline. */
export const shadow = (name) => get(`${of(name)}/upgrade/shadow`);
export const beginShadow = (name, question) => post(`${of(name)}/upgrade/shadow`, question);
export const endShadow = (name) => request("DELETE", `${of(name)}/upgrade/shadow`);
export const promoteShadow = (name) => post(`${of(name)}/upgrade/shadow/promote`, {});
export const upgrade = (name) => get(`${of(name)}/upgrade`);
