import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Examples of sentences: placeholders become names and values that Flink takes. */
final class Statements {
  private static final List<String> NAMES =
      List.of(
          "t",
          "i",
          "q",
          "ts",
          "n1",
          "p",
          "s",
          "e",
          "v",
          "o",
          "mt",
          "f",
          "db",
          "cat",
          "mo",
          "tt",
          "tv",
          "core",
          "default_database",
          "co",
          "pt",
          "ai",
          "r",
          "g",
          "SECRET");

  /** The name that fits behind a word: objects by their kind, columns of t, a new name. */
  private static final Map<String, String> BEHIND =
      Map.ofEntries(
          Map.entry("VIEW", "v"),
          Map.entry("FUNCTION", "f"),
          Map.entry("DATABASE", "db"),
          Map.entry("CATALOG", "cat"),
          Map.entry("MODEL", "mo"),
          Map.entry("MODULE", "core"),
          Map.entry("MODULES", "core"),
          Map.entry("INTO", "o"),
          Map.entry("TO", "n1"),
          Map.entry("ADD", "n1"),
          Map.entry("(", "i"),
          Map.entry("FOR", "ts"),
          Map.entry("DROP", "i"),
          Map.entry("MODIFY", "i"),
          Map.entry("RENAME", "i"),
          Map.entry("AFTER", "s"),
          Map.entry("CONSTRAINT", "n1"),
          Map.entry("USE", "db"),
          Map.entry(",", "s"));

  private static final List<String> EXPRESSIONS =
      List.of("i", "i > 0", "ts", "s", "1", "ai", "r", "m", "TRUE", "INTERVAL '1' DAY", "TABLE t");

  /** JSON functions take a text and a constant path. */
  private static final List<String> OF_JSON = List.of("s", "'$.a'", "i", "'a'");

  private static final List<String> TEXTS =
      List.of(
          "k",
          "connector",
          "type",
          "2020-01-01",
          "2020-01-01 00:00:00",
          "10:00:00",
          "1",
          "f.jar",
          "json");
  private static final List<String> KEYS = List.of("connector", "k", "type");
  private static final List<String> VALUES = List.of("blackhole", "k", "generic_in_memory");
  private static final List<String> QUERIES = List.of("SELECT i, s FROM t", "SELECT i FROM t");

  /** Attempts for one sentence. */
  private static final int LIMIT = 120;

  private final Session session;

  Statements(Session session) {
    this.session = session;
  }

  /**
   * A statement of a sentence's form with Flink's refusal, which is empty if there is a statement
   * that it takes.
   */
  Map.Entry<String, String> example(List<String> sentence) {
    String parsed = null, first = null, refusal = null;
    int executed = 0;
    for (String sql : texts(sentence)) {
      if (first == null) first = sql;
      try {
        session.operation(sql);
      } catch (Exception | Error e) {
        if (refusal == null) refusal = Session.message(e);
        if (refusal.startsWith("Unsupported query") || refusal.contains("not supported")) break;
        continue;
      }
      String answer = session.refusal(sql);
      if (answer.isEmpty()) return Map.entry(sql, "");
      if (parsed == null) {
        parsed = sql;
        refusal = answer;
      }
      if (executed++ > 40) break;
    }
    return Map.entry(parsed == null ? first : parsed, refusal);
  }

  /** The sentence with each choice of names and values, the likelier ones first. */
  private static List<String> texts(List<String> sentence) {
    List<List<String>> slots = new ArrayList<>();
    boolean options = sentence.contains("=");
    boolean json = sentence.stream().anyMatch(token -> token.matches("JSON_(EXISTS|QUERY|VALUE)"));
    for (int at = 0; at < sentence.size(); at++) {
      switch (sentence.get(at)) {
        case Grammar.ID -> slots.add(names(sentence, at));
        case Grammar.EXPRESSION -> slots.add(json ? OF_JSON : EXPRESSIONS);
        case Grammar.QUERY -> slots.add(QUERIES);
        case Grammar.TEXT ->
            slots.add(!options ? TEXTS : sentence.get(at - 1).equals("=") ? VALUES : KEYS);
        default -> {}
      }
    }
    int[] sizes = slots.stream().mapToInt(List::size).toArray();
    List<int[]> choices = new ArrayList<>();
    int most = 0;
    for (int size : sizes) most += size - 1;
    for (int sum = 0; sum <= most && choices.size() < LIMIT; sum++)
      choose(sizes, new int[sizes.length], 0, sum, choices);
    List<String> result = new ArrayList<>();
    for (int[] choice : choices) {
      StringBuilder text = new StringBuilder();
      int at = 0;
      for (String token : sentence) {
        String word =
            switch (token) {
              case Grammar.ID, Grammar.EXPRESSION, Grammar.QUERY -> slots.get(at).get(choice[at++]);
              case Grammar.TEXT -> "'" + slots.get(at).get(choice[at++]) + "'";
              case Grammar.TYPE -> sentence.contains("JSON_QUERY") ? "STRING" : "INT";
              case Grammar.NUMBER -> "1";
              case Grammar.INSERT -> "INSERT INTO o SELECT i, s FROM t";
              default -> token;
            };
        text.append(text.length() == 0 ? "" : " ").append(word);
      }
      if (sentence.get(0).equals("SELECT")) text.append(" FROM t");
      result.add(text.toString());
    }
    return result;
  }

  private static List<String> names(List<String> sentence, int at) {
    String word = at == 0 ? "" : sentence.get(at - 1);
    String first = BEHIND.getOrDefault(word, NAMES.get(0));
    boolean object = !sentence.subList(0, at).contains(Grammar.ID) && !word.equals("(");
    if (object && sentence.contains("MATERIALIZED")) first = "mt";
    if (object && sentence.get(0).equals("CREATE")) first = "n1";
    Set<String> result = new LinkedHashSet<>(List.of(first));
    result.addAll(NAMES);
    return List.copyOf(result);
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
