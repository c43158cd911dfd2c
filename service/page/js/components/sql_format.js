/** The layout of Flink SQL: the dialect of sql-formatter, and a comparison of the tokens before and after. */

import { formatDialect } from "../../vendor/sql-formatter/sql-formatter.js";

/** Strings with the prefixes that belong to them. */
const STRING = String.raw`(?:[uU]&|[xXnNeE]|_[\w-]+)?(?:'[^']*')+`;
const NAME = String.raw`\p{Alphabetic}\p{Mark}\p{Decimal_Number}_$`;
const TOKEN = new RegExp(String.raw`${STRING}|(?:${"`[^`]*`"})+|/\*(?!\+)[^]*?\*/|(?:--|//)[^\r\n]*|[${NAME}]+|/\*\+?|\*/|\|\||[<>!]=|<>|[=-]>|\S`, "gu");

/** Clauses whose content follows on the same line. */
const IN_LINE = ["FROM", "INSERT INTO", "INSERT OVERWRITE", "ON CONFLICT DO", "PATTERN", "AFTER MATCH"];
const CLAUSES = ["WITH", "WHERE", "GROUP BY", "HAVING", "ORDER BY", "WINDOW", "VALUES", "PARTITION BY", "MEASURES", "DEFINE", "ONE ROW PER MATCH", "ALL ROWS PER MATCH"];
/** Words that are such clauses in their places only. */
const OPTIONS = "WITH (";
const LIMIT = "LIMIT n";
/** Clauses of a query, and within parentheses also parts of a call: `OVER (PARTITION BY ...)`. */
const OF_CALLS = new Set(["PARTITION BY", "ORDER BY"]);
const JOINS = ["", "INNER", "CROSS", "NATURAL", "LEFT", "LEFT OUTER", "RIGHT", "RIGHT OUTER", "FULL", "FULL OUTER"].map((kind) => `${kind} JOIN`.trim());
const SETS = ["UNION", "INTERSECT", "EXCEPT", "MINUS"].flatMap((name) => [name, `${name} ALL`, `${name} DISTINCT`]);

const DIALECT = {
  name: "flink",
  tokenizerOptions: {
    reservedSelect: ["SELECT", "SELECT DISTINCT", "SELECT ALL"],
    reservedClauses: [...IN_LINE, ...CLAUSES],
    reservedSetOperations: SETS,
    reservedJoins: JOINS,
    reservedKeywords: ["AS", "ON"],
    reservedDataTypes: [],
    reservedFunctionNames: [],
    extraParens: ["[]", "{}"],
    stringTypes: [{ regex: STRING }],
    identTypes: ["``"],
    identChars: { first: "$", rest: "$", allowFirstCharNumber: true },
    lineCommentTypes: ["--", "//"],
    operators: [..."%?:^&~!|#\\\"@", "||", "=>", "->"],
    postProcess: readTokens,
  },
  formatOptions: { onelineClauses: [...IN_LINE, OPTIONS, LIMIT] },
};

const word = (token, type = "IDENTIFIER") => ({ ...token, type, text: token.raw });
const isComment = ({ type }) => type.endsWith("_COMMENT");
const is = (token, text) => token?.raw.toUpperCase() === text;

/** The tokens with the roles that they have in their places: keywords of the library are names, too. */
function readTokens(tokens) {
  const read = [];
  /** The open parentheses: `query`, `match` or `call`. */
  const around = [];
  let cases = 0;
  let bare = false;
  for (let at = 0; at < tokens.length; at++) {
    let token = tokens[at];
    if (isComment(token)) {
      read.push(token);
      continue;
    }
    const next = tokens[at + 1];
    const before = read.findLast((other) => !isComment(other));
    const starts = !before || before.type === "DELIMITER";
    if (starts) bare = is(token, "SET") || is(token, "RESET");
    const end = verbatim(tokens, at, bare);
    if (end > at) {
      read.push(word({ ...token, raw: textOf(tokens.slice(at, end + 1)) }, token.type === "STRING" ? "STRING" : "IDENTIFIER"));
      at = end;
      continue;
    }
    if (token.type === "CASE") cases++;
    else if (token.type === "END" && cases) cases--;
    else if (token.type === "END") token = word(token);
    else if (token.type === "OPEN_PAREN") around.push(is(before, "MATCH_RECOGNIZE") ? "match" : "call");
    else if (token.type === "CLOSE_PAREN") around.pop();
    else if (token.type === "RESERVED_SELECT" && around.length) around[around.length - 1] = "query";
    else if (token.type === "RESERVED_CLAUSE" && OF_CALLS.has(token.text) && around.at(-1) === "call") token = word(token, "RESERVED_KEYWORD");
    else if (is(token, "WITH") && is(next, "(")) token = { ...token, text: OPTIONS };
    else if (is(token, "LIMIT") && next?.type === "NUMBER") token = { ...token, type: "RESERVED_CLAUSE", text: LIMIT };
    else if ((token.type === "IDENTIFIER" || token.type === "QUOTED_IDENTIFIER") && is(next, "(") && !next.precedingWhitespace) token = word(token, "RESERVED_FUNCTION_NAME");
    read.push(token);
  }
  return read;
}

/** The index of the last token of a piece that keeps its layout: the token itself without one. */
function verbatim(tokens, at, bare) {
  const token = tokens[at];
  const following = (test) => {
    let end = at;
    while (tokens[end + 1] && !isComment(tokens[end + 1]) && test(tokens[end + 1])) end++;
    return end;
  };
  // Strings on lines of their own are one string.
  if (token.type === "STRING") return following(({ type }) => type === "STRING");
  // Values without quotes end with a gap.
  const isBare = ({ type, raw }) => type !== "STRING" && type !== "DELIMITER" && raw !== "=";
  if (bare && isBare(token)) return following((next) => isBare(next) && !next.precedingWhitespace);
  if (/^(?:ROW|ARRAY|MAP|MULTISET)$/iu.test(token.raw) && is(tokens[at + 1], "<")) return closing(tokens, at + 1, "<", ">") ?? at;
  if (is(token, "(") && is(tokens[at - 1], "PATTERN")) return closing(tokens, at, "(", ")") ?? at;
  return at;
}

/** The index of the token that closes a bracket; undefined if a comment is inside, or it is not closed. */
function closing(tokens, at, open, close) {
  let depth = 0;
  for (let end = at; end < tokens.length && !isComment(tokens[end]) && tokens[end].type !== "DELIMITER"; end++) {
    if (tokens[end].raw === open) depth++;
    if (tokens[end].raw === close && --depth === 0) return end;
  }
  return undefined;
}

/** The text of tokens with at most one space or line break between them. */
const textOf = (tokens) => tokens.map(({ raw, precedingWhitespace: gap }, at) => `${at && gap ? (tokens[at].type === "STRING" && gap.includes("\n") ? "\n" : " ") : ""}${raw}`).join("");

const tokensOf = (text) => (text.match(TOKEN) ?? []).map((token) => (/^(?:--|\/\/|\/\*[^+])/u.test(token) ? token.replace(/\s+/gu, " ").trim() : token));

/** The text that cannot be laid out, with its place from 1. */
export class UnreadableError extends Error {
  constructor(message, line, column) {
    super(message);
    Object.assign(this, { line, column });
  }
}

/**
 * Lay out a program; only white space changes.
 * @throws {UnreadableError} if the library cannot read it, or would change a token
 */
export function format(text) {
  let formatted;
  try {
    formatted = formatDialect(text, { dialect: DIALECT, tabWidth: 2, expressionWidth: 80 });
  } catch (error) {
    const [, line, column] = / at line (\d+) column (\d+)/u.exec(error.message) ?? [];
    const [, rest] = /(?:token: |Unexpected )"?(.*?)"? at line/u.exec(error.message) ?? [];
    throw new UnreadableError(rest === "«EOF»" ? "something is not closed" : `unexpected ${rest ?? "text"}`, Number(line) || 1, Number(column) || 1);
  }
  const [before, after] = [tokensOf(text), tokensOf(formatted)];
  const at = before.findIndex((token, place) => token !== after[place]);
  if (at >= 0 || before.length !== after.length) throw unequal(text, at);
  return text.endsWith("\n") ? `${formatted}\n` : formatted;
}

/** The changes of white space, for an editor: cursors stay beside their characters. */
export function spacing(before, after) {
  const changes = [];
  const gap = /\s*/uy;
  for (let at = 0, to = 0; at < before.length || to < after.length; at++, to++) {
    const [old, now] = [[before, at], [after, to]].map(([text, from]) => {
      gap.lastIndex = from;
      return gap.exec(text)[0];
    });
    if (old !== now) changes.push({ from: at, to: at + old.length, insert: now });
    at += old.length;
    to += now.length;
  }
  return changes;
}

function unequal(text, token) {
  const at = [...text.matchAll(TOKEN)][token]?.index ?? 0;
  const lines = text.slice(0, at).split("\n");
  return new UnreadableError("the layout would change the program", lines.length, lines.at(-1).length + 1);
}
