import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Examples of sentences: placeholders become names and values that Flink takes. */
final class Statements {
  private static final List<String> NAMES =
List.of("t", "i", "q", "ts", "n1", "p", "s", "e", "v", "o", "mt", "f", "db", "cat", "mo", "tt", "tv", "core", "default_database", "co", "pt", "ai", "r", "g", "SECRET");
  private static final List<String> EXPRESSIONS = List.of("i", "i > 0", "ts", "s", "1", "ai", "r", "m", "TRUE", "INTERVAL '1' DAY", "TABLE t");
  private static final List<String> TEXTS =
      List.of("k", "connector", "type", "2020-01-01", "2020-01-01 00:00:00", "10:00:00", "1", "f.jar", "json");
  private static final List<String> QUERIES = List.of("SELECT i, s FROM t", "SELECT i FROM t");
  /** Attempts for one sentence. */
  private static final int LIMIT = 600;

  private final Session session;

  Statements(Session session) {
    this.session = session;
  }

  /** A statement of a sentence's form with Flink's refusal, which is empty if there is a statement that it takes. */
  Map.Entry<String, String> example(List<String> sentence) {
    String parsed = null, first = null, refusal = null;
    int executed = 0;
    for (String sql : texts(sentence)) {
      if (first == null) first = sql;
      try {
        session.operation(sql);
      } catch (Exception | Error e) {
        if (refusal == null) refusal = Session.message(e);
        continue;
      }
      String answer = session.refusal(sql);
      if (answer.isEmpty()) return Map.entry(sql, "");
      if (parsed == null) {
        parsed = sql;
        refusal = answer;
      }
      if (executed++ > 60) break;
    }
    return Map.entry(parsed == null ? first : parsed, refusal);
  }

  /** The sentence with each choice of names and values, the likelier ones first. */
  private static List<String> texts(List<String> sentence) {
    List<List<String>> slots = new ArrayList<>();
    boolean options = sentence.contains("=");
    for (String token : sentence) {
      switch (token) {
        case Grammar.ID -> slots.add(NAMES);
        case Grammar.EXPRESSION -> slots.add(EXPRESSIONS);
        case Grammar.QUERY -> slots.add(QUERIES);
        case Grammar.TEXT -> slots.add(options ? TEXTS.subList(0, 3) : TEXTS);
        default -> {}
      }
    }
    int[] sizes = slots.stream().mapToInt(List::size).toArray();
    List<int[]> choices = new ArrayList<>();
    int most = 0;
    for (int size : sizes) most += size - 1;
    for (int sum = 0; sum <= most && choices.size() < LIMIT; sum++) choose(sizes, new int[sizes.length], 0, sum, choices);
    List<String> result = new ArrayList<>();
    for (int[] choice : choices) {
      StringBuilder text = new StringBuilder();
      int at = 0;
      for (String token : sentence) {
        String word =
            switch (token) {
              case Grammar.ID, Grammar.EXPRESSION, Grammar.QUERY -> slots.get(at).get(choice[at++]);
              case Grammar.TEXT -> "'" + slots.get(at).get(choice[at++]) + "'";
              case Grammar.TYPE -> "INT";
              case Grammar.NUMBER -> "1";
              case Grammar.INSERT -> "INSERT INTO o SELECT i, s FROM t";
              default -> token;
            };
        text.append(text.length() == 0 ? "" : " ").append(word);
      }
      result.add(text.toString());
    }
    return result;
  }

  private static void choose(int[] sizes, int[] choice, int at, int rest, List<int[]> choices) {
    if (choices.size() >= LIMIT) return;
    if (at == sizes.length) {
      if (rest == 0) choices.add(choice.clone());
      return;
    }
    for (int i = Math.min(rest, sizes[at] - 1); i >= 0; i--) {
      choice[at] = i;
      choose(sizes, choice, at + 1, rest - i, choices);
    }
  }
}
