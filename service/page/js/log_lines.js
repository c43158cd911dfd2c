/** Lines of a run's output as entries with time, level and stack trace: the one place that parses them. */

/** Levels in order; `-` is a line without a level, such as a row of a print sink. */
export const LEVELS = ["-", "DEBUG", "INFO", "WARN", "ERROR"];

/** `2026-03-01T10:00:00.000Z INFO text`, of `execute-plan --log`. */
const OWN = /^(\d{4}-\d\d-\d\dT[\d:.]+Z) (?:(DEBUG|INFO|WARN|ERROR) )?(.*)$/;
/** `26/03/01 10:00:00 WARN Class: text`, of Spark. */
const SPARK = /^(\d\d\/\d\d\/\d\d [\d:]{8}) (TRACE|DEBUG|INFO|WARN|ERROR|FATAL) (.*)$/;
/** `error: text`, of a command. */
const MESSAGE = /^(?:internal )?(error|warning): /i;
/** A line of a stack trace, of Java or Python. */
const TRACE = /^(?:\s+at [\w$.<>/]+\(|\s*Caused by: |\s+\.{3} \d+ more|Traceback \(most recent|\s+File "|\s{4,}\S|[\w$]+(?:\.[\w$]+)+(?:Exception|Error)\b)/;
/** Place and remedy below an error. */
const DETAIL = /^ {2}(?:at|try): /;

/**
 * @param {string[]} lines
 * @returns {{time: string, level: string, text: string, trace: string[]}[]}
 */
export function entriesOf(lines) {
  const entries = [];
  for (const line of lines) {
    const last = entries.at(-1);
    if (last && DETAIL.test(line)) last.text += `\n${line}`;
    else if (last && TRACE.test(line)) last.trace.push(line);
    else entries.push(entryOf(line));
  }
  return entries;
}

function entryOf(line) {
  const [, time, level, text] = OWN.exec(line) ?? SPARK.exec(line) ?? [line, "", "", line];
  const word = MESSAGE.exec(text)?.[1].toLowerCase();
  const said = { error: "ERROR", warning: "WARN" }[word] ?? { TRACE: "DEBUG", FATAL: "ERROR" }[level] ?? level;
  return { time, level: said || "-", text, trace: [] };
}

/** The entries of a level and above that contain a text, in any case. */
export function matching(entries, level, text) {
  const wanted = text.toLowerCase();
  return entries.filter((entry) => LEVELS.indexOf(entry.level) >= LEVELS.indexOf(level)
    && [entry.text, entry.time, entry.level, ...entry.trace].some((part) => part.toLowerCase().includes(wanted)));
}
