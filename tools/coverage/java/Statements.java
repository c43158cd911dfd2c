import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Examples of sentences: placeholders become names and values of the objects in setup.sql that fit
 * in their place.
 */
final class Statements {
  /** Alternatives that are tried where the fitting name is refused. */
  private static final List<String> NAMES = List.of("i", "s", "n1", "t");

  /** The object that a statement of a kind works on. */
  private static final Map<String, String> OBJECTS =
      Map.ofEntries(
          Map.entry("VIEW", "v"),
          Map.entry("FUNCTION", "f"),
          Map.entry("DATABASE", "db"),
          Map.entry("CATALOG", "cat"),
          Map.entry("MODEL", "mo"),
          Map.entry("MODULE", "core"),
          Map.entry("MODULES", "core"),
          Map.entry("PARTITIONS", "q"),
          Map.entry("ANALYZE", "q"),
          Map.entry("INTO", "o"),
          Map.entry("OVERWRITE", "w"),
          Map.entry("USE", "db"));

  /** Names behind words that say what they name. */
  private static final Map<String, String> BEHIND =
      Map.ofEntries(
          Map.entry("TO", "n1"),
          Map.entry("CONSTRAINT", "e"),
          Map.entry("FOR", "ts"),
          Map.entry("DROP", "i"),
          Map.entry("MODIFY", "i"),
          Map.entry("RENAME", "i"),
          Map.entry("AFTER", "s"),
          Map.entry("LIKE", "t"),
          Map.entry(",", "s"));

  /** Options that the objects of a kind have. */
  private static final Map<String, List<String>> OPTIONS =
      Map.of(
          "CREATE CATALOG", List.of("type", "generic_in_memory", "default-database", "n1"),
          "ALTER CATALOG", List.of("default-database", "n1", "property-version", "1"),
          "CREATE TABLE", List.of("connector", "blackhole", "property-version", "1"),
          "ALTER TABLE", List.of("path", "/z", "format", "csv"),
          "CREATE FUNCTION", List.of("signature", "(STRING) -> STRING", "kind", "SCALAR"),
          "SET", List.of("table.exec.state.ttl", "1 h", "pipeline.name", "k"),
          "CREATE MODEL", List.of("provider", "x", "task", "y"));

  private static final List<String> EXPRESSIONS =
      List.of("i", "i > 0", "ts", "s", "1", "ai", "r", "m", "TRUE", "INTERVAL '1' DAY", "TABLE t");

  /** Values for JSON functions, which take a text and a path. */
  private static final List<String> OF_JSON = List.of("s", "'$.a'", "i", "'a'");

  private static final String SET = "BEGIN STATEMENT SET ; INSERT INTO o SELECT i, s FROM t ; END";
  private static final String CONNECTOR =
      "'connector' = 'filesystem' , 'path' = '/n' , 'format' = 'json'";

  /** Attempts for one sentence: the arguments of a call have many types, names fit at once. */
  private static final int LIMIT = 30, CALL_LIMIT = 120;

  private final Session session;

  Statements(Session session) {
    this.session = session;
  }

  /**
   * A statement of a sentence's form with Flink's refusal, which is empty if there is a statement
   * that it takes.
   */
  Map.Entry<String, String> example(List<String> sentence) {
    return answered(texts(withOptions(sentence), false));
  }

  /** As {@code example}, for a query. */
  Map.Entry<String, String> query(List<String> sentence) {
    return answered(texts(Queries.withOrder(sentence), true));
  }

  private Map.Entry<String, String> answered(Iterable<String> texts) {
    String first = null, refusal = null;
    for (String sql : texts) {
      String answer = sql.equals(SET) ? "" : session.refusal(sql);
      if (answer.isEmpty()) return Map.entry(sql, "");
      if (first == null) {
        first = sql;
        refusal = answer;
      }
      // No other name helps where the kind of statement is refused.
      if (answer.matches("Unsupported (query|SQL query).*|.*not (supported|implemented).*")) break;
    }
    return Map.entry(first, refusal);
  }

  /** A sentence that creates an object, with the options that objects of its kind need. */
  private static List<String> withOptions(List<String> sentence) {
    if (!sentence.get(0).matches("CREATE|REPLACE")) return sentence;
    if (sentence.contains("INPUT") && !String.join(" ", sentence).contains("OUTPUT"))
      return withOptions(
          inserted(sentence, "OUTPUT ( s STRING )", "OUTPUT", "(", Grammar.ID, Grammar.TYPE, ")"));
    String clause = sentence.contains("CATALOG") ? "'type' = 'generic_in_memory'" : "";
    if (sentence.contains("MODEL")) clause = "'provider' = 'x' , 'task' = 'y'";
    if (sentence.contains("TABLE") && sentence.contains(Grammar.QUERY)) clause = CONNECTOR;
    if (clause.isEmpty() || hasOptions(sentence)) return sentence;
    return inserted(
        sentence, "WITH ( " + clause + " )", "WITH", "(", Grammar.TEXT, "=", Grammar.TEXT, ")");
  }

  /** A sentence with a clause at the first place where the grammar has it. */
  private static List<String> inserted(List<String> sentence, String clause, String... tokens) {
    for (int at = sentence.indexOf(Grammar.ID) + 1; at <= sentence.size(); at++) {
      List<String> longer = new ArrayList<>(sentence);
      longer.addAll(at, List.of(tokens));
      if (Grammar.accepts(longer)) {
        longer.subList(at, at + tokens.length).clear();
        longer.add(at, clause);
        return longer;
      }
    }
    return sentence;
  }

  private static boolean hasOptions(List<String> sentence) {
    for (int at = 0; at + 1 < sentence.size(); at++)
      if (sentence.get(at).equals("WITH") && sentence.get(at + 1).equals("(")) return true;
    return false;
  }

  /** The sentence with the fitting names and values, then with others. */
  private static List<String> texts(List<String> sentence, boolean query) {
    List<List<String>> slots = new ArrayList<>();
    for (int at = 0; at < sentence.size(); at++)
      slots.add(query ? Queries.choices(sentence, at) : choices(sentence, at, slots));
    int[] sizes = slots.stream().mapToInt(List::size).toArray();
    List<int[]> orders = new ArrayList<>();
    int most = 0;
    for (int size : sizes) most += size - 1;
    int limit = sentence.get(0).equals("SELECT") && !query ? CALL_LIMIT : LIMIT;
    for (int sum = 0; sum <= most && orders.size() < limit; sum++)
      choose(sizes, new int[sizes.length], 0, sum, orders, limit);
    List<String> result = new ArrayList<>();
    for (int[] order : orders) {
      List<String> words = new ArrayList<>();
      for (int at = 0; at < order.length; at++) words.add(slots.get(at).get(order[at]));
      // A call may have a FROM of its own: TRIM ( BOTH FROM s ).
      boolean bare = sentence.get(0).equals("SELECT") && !(query && sentence.contains("FROM"));
      String text = String.join(" ", words) + (bare ? " FROM t" : "");
      result.add(text.equals("BEGIN STATEMENT SET") || text.equals("END") ? SET : text);
    }
    return result;
  }

  private static boolean json(List<String> sentence) {
    return sentence.stream().anyMatch(token -> token.matches("JSON_(EXISTS|QUERY|VALUE)"));
  }

  private static List<String> choices(List<String> sentence, int at, List<List<String>> before) {
    String table = sentence.subList(0, at).contains(Grammar.QUERY) ? "n1" : "t";
    return switch (sentence.get(at)) {
      case Grammar.ID -> names(sentence, at);
      case Grammar.EXPRESSION ->
          sentence.contains("WATERMARK")
              ? List.of("ts", "i")
              : switch (sentence.get(0)) {
                case "CREATE" -> List.of("s", "i");
                case "ALTER" -> List.of(sentence.contains("MATERIALIZED") ? "i" : "l", "i");
                default -> json(sentence) ? OF_JSON : EXPRESSIONS;
              };
      case Grammar.QUERY ->
          sentence.get(0).equals("SELECT")
              ? List.of("SELECT i FROM " + table, "SELECT i, s FROM " + table)
              : List.of("SELECT " + columns(sentence, at) + " FROM " + table);
      case Grammar.INSERT ->
          List.of(
              "INSERT INTO " + (sentence.contains("CONFLICT") ? "u" : "o") + " SELECT i, s FROM t");
      case Grammar.TEXT -> List.of("'" + text(sentence, at) + "'");
      case Grammar.LITERAL ->
          List.of(sentence.subList(0, at).contains(Grammar.LITERAL) ? "'l'" : "'k'");
      case Grammar.NUMBER -> List.of("4");
      case Grammar.TYPE ->
          List.of(
              sentence.contains("JSON_QUERY")
                  ? "STRING"
                  : type(sentence, at, before.get(at - 1).get(0)));
      default -> List.of(sentence.get(at));
    };
  }

  /** The columns of a query: those that a list in front of it names. */
  private static String columns(List<String> sentence, int at) {
    String before = String.join(" ", sentence.subList(0, at));
    if (before.matches("([A-Z_]+ )+\\$id \\( \\$id \\).*|.*\\$id \\( \\$id \\) AS \\(.*"))
      return "i";
    boolean timed = sentence.contains("WATERMARK") || sentence.contains("MATERIALIZED");
    return timed && !before.contains("( $id , $id )") ? "i, s, ts" : "i, s";
  }

  private static String type(List<String> sentence, int at, String column) {
    if (metadata(sentence, at)) return "BIGINT";
    return switch (column) {
      case "s" -> "STRING";
      case "ts" -> "TIMESTAMP(3)";
      default -> "INT";
    };
  }

  /** True if the column whose type or name is at a position is a metadata column. */
  private static boolean metadata(List<String> sentence, int at) {
    for (String token : sentence.subList(at, sentence.size())) {
      if (token.equals(",")) return false;
      if (token.equals("METADATA")) return true;
    }
    return false;
  }

  private static List<String> names(List<String> sentence, int at) {
    List<String> result = new ArrayList<>(List.of(name(sentence, at)));
    for (String other : NAMES) if (!result.contains(other)) result.add(other);
    return result;
  }

  private static String name(List<String> sentence, int at) {
    List<String> before = sentence.subList(0, at);
    String word = at == 0 ? "" : sentence.get(at - 1), start = sentence.get(0);
    String next = at + 1 < sentence.size() ? sentence.get(at + 1) : "";
    if (word.matches("WITH|RECURSIVE") || next.equals("AS") && before.contains(Grammar.QUERY))
      return before.contains(Grammar.QUERY) ? "n2" : "n1";
    if (word.matches("FROM|IN") && start.equals("SHOW"))
      return before.contains("COLUMNS") ? "t" : before.contains("DATABASES") ? "cat" : "db";
    if (!before.contains(Grammar.ID) && !word.equals("(")) return object(sentence, before);
    if (word.equals("(") && before.contains("PARTITION")) return "s";
    boolean named =
        next.equals(Grammar.TYPE) && metadata(sentence, at) && !sentence.contains("FROM");
    if (named) return "`file.size`";
    if (word.equals("FOR")) return "ts";
    if (word.equals("ADD") || next.equals("AS") && before.contains("(")) return "n1";
    if (word.equals("(") && next.equals(Grammar.TYPE))
      return metadata(sentence, at)
          ? "n1"
          : start.equals("ALTER") ? "n1" : sentence.contains("WATERMARK") ? "ts" : "i";
    if (word.equals(",") && next.equals(Grammar.TYPE) && start.equals("ALTER")) return "n2";
    return BEHIND.getOrDefault(word, "i");
  }

  /** The object that a statement creates or works on. */
  private static String object(List<String> sentence, List<String> before) {
    String start = sentence.get(0);
    if (start.equals("CREATE")) return "n1";
    boolean key = sentence.contains("CONSTRAINT") || sentence.contains("PRIMARY");
    boolean adds = sentence.contains("ADD"), drops = sentence.contains("DROP");
    if (start.equals("REPLACE")) return "o";
    if (before.contains("MATERIALIZED"))
      return !adds && (key || sentence.contains("WATERMARK")) ? "mp" : "mt";
    boolean temporary = before.contains("TEMPORARY");
    if (sentence.contains("CONFLICT")) return "u";
    for (int at = before.size() - 1; at >= 0; at--) {
      String name = OBJECTS.get(before.get(at));
      if (name != null && temporary && name.matches("v|f|mo"))
        return before.contains("SYSTEM") ? "sf" : "t" + name.charAt(0);
      if (name != null) return name;
    }
    if (temporary && before.contains("TABLE")) return "tt";
    if (start.equals("ALTER")) {
      if (sentence.contains("DISTRIBUTION")) return adds ? "w" : "p";
      if (sentence.contains("WATERMARK")) return adds ? "q" : "t";
      if (key) return adds ? "q" : "p";
      if (sentence.contains("PARTITION")) return "q";
      if (sentence.contains("METADATA") && !adds && !drops) return "md";
    }
    return "t";
  }

  private static String text(List<String> sentence, int at) {
    String word = sentence.get(at - 1), next = at + 1 < sentence.size() ? sentence.get(at + 1) : "";
    // Literals in a row are one literal.
    if (next.equals(Grammar.TEXT)) return whole(sentence, at).substring(0, 1);
    if (word.equals(Grammar.TEXT)) {
      String whole = whole(sentence, at - 1);
      return whole.substring(Math.min(1, whole.length() - 1));
    }
    return whole(sentence, at);
  }

  private static String whole(List<String> sentence, int at) {
    String word = sentence.get(at - 1), start = sentence.get(0);
    String kind =
        start.equals("SET") || start.equals("RESET")
            ? "SET"
            : start.equals("REPLACE") ? "CREATE TABLE" : "";
    for (String entry : OPTIONS.keySet())
      if (kind.isEmpty() && !entry.equals("SET") && sentence.containsAll(List.of(entry.split(" "))))
        kind = entry;
    List<String> options = OPTIONS.getOrDefault(kind, List.of("k", "k", "l", "l"));
    boolean key = word.matches("[(,]") || word.matches("SET|RESET") && kind.equals("SET");
    if (word.equals("=")) return options.get(lastOptions(sentence, at) ? 3 : 1);
    if (key && kind.equals("CREATE TABLE") && !sentence.contains(Grammar.QUERY))
      return lastOptions(sentence, at) ? "l" : "k";
    if (key) return options.get(lastOptions(sentence, at) ? 2 : 0);
    if (word.equals("FROM")) return "file.size";
    if (word.matches("JAR|ARTIFACT")) return lastOptions(sentence, at) ? "g.jar" : "f.jar";
    if (word.equals("PLAN")) return "plan.json";
    if (word.equals("AS"))
      return sentence.contains("PYTHON") ? "tools.coverage.upper.Upper" : "Upper";
    return "k";
  }

  /** True if a comma separates the position from the one option or resource in front of it. */
  private static boolean lastOptions(List<String> sentence, int at) {
    for (int i = at - 1; i > 0; i--) {
      if (sentence.get(i).equals("(")) return false;
      if (sentence.get(i).equals(",")) return true;
    }
    return false;
  }

  private static void choose(
      int[] sizes, int[] choice, int at, int rest, List<int[]> choices, int limit) {
    if (choices.size() >= limit) return;
    if (at == sizes.length) {
      if (rest == 0) choices.add(choice.clone());
      return;
    }
    for (int i = Math.min(rest, sizes[at] - 1); i >= 0; i--) {
      choice[at] = i;
      choose(sizes, choice, at + 1, rest - i, choices, limit);
    }
  }
}
