import java.util.ArrayList;
import java.util.List;

/** Names, expressions and queries in the places of a query's clauses, over the tables t and p. */
final class Queries {
  private Queries() {}

  /** A pattern with the order by time that Flink asks for, and a measure to select. */
  static List<String> withOrder(List<String> sentence) {
    List<String> result = new ArrayList<>(sentence);
    int at = sentence.indexOf("MATCH_RECOGNIZE");
    if (at < 0) return result;
    at += 2;
    if (result.get(at).equals("PARTITION")) at += 3;
    if (!sentence.contains("ORDER")) result.add(at++, "ORDER BY ts");
    if (!sentence.contains("MEASURES")) result.add(at, "MEASURES A.i AS x");
    return result;
  }

  /** Texts in place of a placeholder, the likelier first. */
  static List<String> choices(List<String> sentence, int at) {
    List<String> before = sentence.subList(0, at);
    String word = at == 0 ? "" : sentence.get(at - 1);
    String next = at + 1 < sentence.size() ? sentence.get(at + 1) : "";
    String clause = clause(before);
    return switch (sentence.get(at)) {
      case Grammar.ID -> names(sentence, before, word, next, clause);
      case Grammar.EXPRESSION -> expressions(sentence, before, word, clause);
      case Grammar.QUERY ->
          List.of(
              before.contains("UNNEST")
                  ? "SELECT ai FROM t"
                  : "SELECT i FROM "
                      + (before.contains("FROM") && !clause.matches("UNION|EXCEPT|INTERSECT")
                          ? "p"
                          : "t"));
      case Grammar.INTERVAL ->
          List.of(
              switch (sentence.get(sentence.indexOf("TO") + 1)) {
                case "HOUR", "HOURS" -> "'1 00' DAY";
                case "MINUTE", "MINUTES" -> "'1 00:00' DAY";
                case "SECOND", "SECONDS" -> "'1 00:00:00' DAY";
                default -> "'1' DAY";
              });
      case Grammar.NUMBER -> List.of("2");
      case Grammar.TEXT -> List.of("'k'");
      default -> List.of(sentence.get(at));
    };
  }

  private static String clause(List<String> before) {
    for (int at = before.size() - 1; at > 0; at--)
      if (before
          .get(at)
          .matches(
              "FROM|JOIN|ON|USING|WHERE|GROUP|HAVING|WINDOW|QUALIFY|ORDER|UNION|EXCEPT|INTERSECT|MEASURES|PATTERN|SUBSET|DEFINE|TO|RANGE|ROWS|PARTITION|OF|ORDER"
                  + " BY ts|MEASURES A.i AS x")) return before.get(at);
    return "SELECT";
  }

  private static List<String> names(
      List<String> sentence, List<String> before, String word, String next, String clause) {
    int same = 0;
    for (int at = before.lastIndexOf(clause); at < before.size() && at >= 0; at++)
      if (before.get(at).equals(Grammar.ID)) same++;
    return switch (clause) {
      case "FROM", "JOIN" -> {
        if (word.equals("FROM")) yield List.of("t");
        if (word.matches("JOIN|,")) yield List.of("p");
        yield word.equals("(") ? List.of("i") : List.of("x");
      }
      case "USING" -> List.of("i");
      case "ON" -> List.of("q");
      case "WINDOW" -> List.of(word.equals("(") ? "z" : same == 0 ? "x" : "y");
      case "PATTERN", "DEFINE" -> List.of(same == 0 ? "A" : "B");
      case "SUBSET" -> List.of(same == 0 ? "S" : "R");
      case "TO" -> List.of("A");
      case "MEASURES" -> List.of(same == 0 ? "x" : "y");
      default -> List.of("x");
    };
  }

  private static List<String> expressions(
      List<String> sentence, List<String> before, String word, String clause) {
    boolean second = word.equals(",");
    return switch (clause) {
      case "SELECT" ->
          sentence.contains("MATCH_RECOGNIZE")
              ? List.of("x")
              : second ? List.of("s") : List.of("i", "l", "1", "COUNT(*)");
      case "ON" -> List.of("t.i = p.i");
      case "WHERE" -> List.of("i > 0");
      case "HAVING" -> List.of("COUNT(*) > 0");
      case "QUALIFY" -> List.of("ROW_NUMBER() OVER (PARTITION BY i ORDER BY pt) = 1");
      case "ORDER" -> second ? List.of("s") : List.of("ts", "i");
      case "PARTITION" -> List.of(second ? "i" : "s");
      case "SUBSET" -> List.of(second ? "B" : "A");
      case "DEFINE" -> List.of(second ? "B.i > 0" : "A.i > 0");
      case "MEASURES" -> List.of(second ? "LAST(A.s)" : "A.i");
      case "RANGE" -> List.of("INTERVAL '1' DAY");
      case "ROWS" -> List.of("1");
      case "OF" -> List.of("t.ts", "ts");
      case "GROUP" -> List.of(second ? "s" : "i");
      default -> List.of("i", "1");
    };
  }
}
