import java.io.StringReader;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.calcite.config.Lex;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.parser.SqlParseException;
import org.apache.calcite.sql.parser.SqlParser;
import org.apache.flink.sql.parser.impl.FlinkSqlParserImpl;
import org.apache.flink.sql.parser.impl.FlinkSqlParserImplConstants;
import org.apache.flink.sql.parser.impl.ParseException;
import org.apache.flink.sql.parser.validate.FlinkSqlConformance;

/**
 * Sentences of Flink's grammar, from the tokens that its parser expects.
 *
 * <p>The parser names the tokens that may follow a prefix. A state is the last token and the set of
 * tokens that may follow; each transition between two states is in one sentence at least, the
 * shortest that the parser accepts. Identifiers, expressions, queries, types and texts are
 * placeholders.
 */
final class Grammar {
  static final String ID = "$id";
  static final String EXPRESSION = "$expression";
  static final String QUERY = "$query";
  static final String INSERT = "$insert";
  static final String TYPE = "$type";
  static final String TEXT = "$text";
  static final String NUMBER = "$number";
  static final String LITERAL = "$literal";
  static final String INTERVAL = "$interval";

  /** Words that change little of what a statement does. */
  private static final Set<String> MODIFIERS =
      Set.of("IF", "NOT", "EXISTS", "TEMPORARY", "SYSTEM", "OR", "ALTER", "REPLACE");

  /** Words that name the kind of object which a statement works on. */
  private static final String OBJECTS =
      "(TABLE|VIEW|FUNCTION|DATABASE|CATALOG|MODEL|MODULE|CONNECTION|PLAN|JAR|JOB|COLUMN|PARTITION)S?";

  private static final Map<String, String> SAMPLES =
      Map.of(
          ID,
          "a1",
          INSERT,
          "INSERT INTO a1 SELECT a1 FROM a1",
          EXPRESSION,
          "(a1)",
          QUERY,
          "SELECT a1 FROM a1",
          TYPE,
          "INT",
          TEXT,
          "'a1'",
          NUMBER,
          "1",
          LITERAL,
          "'a1'",
          INTERVAL,
          "'1' DAY");
  static final SqlParser.Config CONFIG =
      SqlParser.config()
          .withParserFactory(FlinkSqlParserImpl.FACTORY)
          .withConformance(FlinkSqlConformance.DEFAULT)
          .withLex(Lex.JAVA)
          .withIdentifierMaxLength(256);

  private static final Set<String> KEYWORDS = keywords();

  private static final List<String> CAST = List.of("SELECT", "CAST", "(", EXPRESSION, "AS");

  private final Set<String> operands = raw(List.of("SELECT", "a1", "="));
  private final Set<String> queries = raw(List.of("VALUES", "(", "1", ")", "UNION", "ALL"));
  private final Set<String> infix =
      both(raw(List.of("SELECT", "(", "a1", ")")), raw(List.of("CALL", "a1", "(", "a1")));
  private final Set<String> types = raw(List.of("SELECT", "CAST", "(", "a1", "AS"));
  private final Set<String> afterType = raw(List.of("SELECT", "CAST", "(", "a1", "AS", "INT"));
  private final Set<String> afterQuery = raw(List.of("(", "SELECT", "a1", "FROM", "a1"));
  private static final String[] END_OF_EXPRESSION = {")", ",", "AS", "FROM", ""};
  private static final String[] AFTER_EXPRESSION =
      (") , AS FROM WHERE GROUP HAVING WINDOW QUALIFY ORDER LIMIT OFFSET FETCH UNION EXCEPT"
              + " INTERSECT ASC DESC NULLS JOIN LEFT RIGHT FULL INNER CROSS NATURAL ROWS RANGE"
              + " PRECEDING FOLLOWING")
          .split(" ");

  /** Words that begin a clause of a query. */
  private static final Set<String> CLAUSES =
      Set.of(
          ("FROM WHERE GROUP HAVING WINDOW QUALIFY ORDER LIMIT OFFSET FETCH UNION EXCEPT INTERSECT"
                  + " MATCH_RECOGNIZE MEASURES PATTERN DEFINE UNPIVOT")
              .split(" "));

  private final int limit;

  /** True while sentences are queries with all their clauses. */
  private boolean querying;

  /** True while the types of a CAST are spelled out. */
  private boolean spelled;

  Grammar(int limit) {
    this.limit = limit;
  }

  private record State(List<String> head, String last, Set<String> next) {}

  /**
   * Tokens after a prefix; empty for sentences that nothing may follow. {@code accepted} is in it
   * as "".
   */
  private Set<String> raw(List<String> tokens) {
    Set<String> result = new TreeSet<>();
    // A token that cannot follow anything shows what could follow an accepted sentence, too.
    List<String> longer = new ArrayList<>(tokens);
    longer.add("}");
    try {
      SqlParser.create(text(longer), CONFIG).parseStmt();
    } catch (SqlParseException e) {
      if (e.getExpectedTokenSequences() == null) return result;
      int consumed = consumed(tokens, e);
      for (int[] sequence : e.getExpectedTokenSequences()) {
        List<String> images = new ArrayList<>();
        for (int token : sequence) images.add(image(e.getTokenImages()[token]));
        int more = tokens.size() - consumed;
        if (more >= 0
            && images.size() > more
            && images.subList(0, more).equals(classes(tokens.subList(consumed, tokens.size()))))
          result.add(images.get(more));
      }
    } catch (RuntimeException | Error e) {
      return result;
    }
    if (result.remove("<EOF>")) result.add("");
    return result;
  }

  private static List<String> classes(List<String> tokens) {
    List<String> result = new ArrayList<>();
    for (String token : tokens)
      result.add(token.startsWith("$") || token.equals("a1") ? "<IDENTIFIER>" : token);
    return result;
  }

  /** The number of tokens in front of the position of an error. */
  private static int consumed(List<String> tokens, SqlParseException e) {
    int column = e.getPos().getColumnNum(), at = 1, count = 0;
    if (e.getPos().getLineNum() == 0) return 0;
    for (String token : tokens) {
      int end = at + sample(token).length();
      if (column < end) return count;
      at = end + 1;
      count++;
    }
    return count;
  }

  private static String image(String image) {
    return image.startsWith("\"") ? image.substring(1, image.length() - 1) : image;
  }

  static boolean accepts(List<String> tokens) {
    try {
      SqlParser.create(text(tokens), CONFIG).parseStmt();
      return true;
    } catch (SqlParseException | RuntimeException | Error e) {
      return false;
    }
  }

  private static String sample(String token) {
    return SAMPLES.getOrDefault(token, token);
  }

  private static String text(List<String> tokens) {
    StringBuilder text = new StringBuilder();
    for (String token : tokens) text.append(text.length() == 0 ? "" : " ").append(sample(token));
    return text.toString();
  }

  /** First tokens of statements. */
  Set<List<String>> starts() {
    Set<List<String>> result = new LinkedHashSet<>();
    Set<String> named = raw(List.of());
    named.removeAll(operands);
    named.removeAll(queries);
    named.remove("");
    for (String token : named) result.add(List.of(token));
    // Of words that may be names, too, the parser does not say that they begin statements; its
    // productions do.
    for (Method production : FlinkSqlParserImpl.class.getMethods()) {
      boolean statement =
          production.getName().startsWith("Sql")
              && SqlNode.class.isAssignableFrom(production.getReturnType());
      if (!statement || production.getParameterCount() > 0) continue;
      Set<String> tokens = first(production, "");
      if (tokens.size() > 5) continue;
      for (String token : tokens) {
        Set<String> more = first(production, token);
        if (named.contains(token)
            || queries.contains(token) && !operands.contains(token)
            || more.contains("<IDENTIFIER>")) continue;
        for (String second : more)
          if (token.matches("[A-Z]+") && second.matches("[A-Z]+"))
            result.add(List.of(token, second));
      }
    }
    return result;
  }

  /** The tokens that a production expects after a text. */
  private static Set<String> first(Method production, String text) {
    Set<String> result = new TreeSet<>();
    try {
      FlinkSqlParserImpl parser = new FlinkSqlParserImpl(new StringReader(text + " }"));
      parser.switchTo(org.apache.calcite.sql.parser.SqlAbstractParserImpl.LexicalState.BTID);
      parser.setConformance(FlinkSqlConformance.DEFAULT);
      production.invoke(parser);
    } catch (InvocationTargetException e) {
      if (e.getCause() instanceof ParseException fault && fault.expectedTokenSequences != null)
        for (int[] sequence : fault.expectedTokenSequences)
          result.add(image(fault.tokenImage[sequence[0]]));
    } catch (ReflectiveOperationException | RuntimeException | Error e) {
      return result;
    }
    return result;
  }

  /**
   * Keywords after a prefix that the parser accepts there and does not name, since they may be
   * names, too.
   */
  private Set<String> hidden(List<String> tokens) {
    Set<String> asName = raw(plus(tokens, ID)), result = new TreeSet<>();
    for (String keyword : KEYWORDS) {
      Set<String> next = raw(plus(tokens, keyword));
      if (!next.isEmpty() && !next.equals(asName)) result.add(keyword);
    }
    return result;
  }

  private static Set<String> keywords() {
    Set<String> result = new TreeSet<>();
    for (String image : FlinkSqlParserImplConstants.tokenImage) {
      String token = image(image);
      if (token.matches("[A-Z_]+")) result.add(token);
    }
    return result;
  }

  /**
   * Calls of functions with a syntax of their own, such as {@code SELECT TRIM ( BOTH $expression
   * FROM $expression )}.
   */
  Map<String, Set<List<String>>> calls() {
    Map<String, Set<List<String>>> result = new TreeMap<>();
    for (String token : operands) {
      if (token.matches("[A-Z_]+") && !token.equals("SELECT")) {
        Set<List<String>> sentences = sentences(List.of("SELECT", token, "("));
        if (!sentences.isEmpty()) result.put(token, sentences);
      }
    }
    return result;
  }

  /** Queries: their clauses behind a table, and the relations behind FROM. */
  Set<List<String>> queries() {
    querying = true;
    Set<List<String>> result = new LinkedHashSet<>();
    for (List<String> sentence : sentences(List.of("SELECT")))
      if (sentence.size() <= 4
          && Collections.disjoint(sentence.subList(2, sentence.size()), CLAUSES))
        result.add(sentence);
    for (String start : List.of("SELECT $expression FROM", "SELECT $expression FROM $id"))
      result.addAll(sentences(List.of(start.split(" "))));
    querying = false;
    return result;
  }

  /** The forms of data types; the types inside of others are placeholders. */
  Set<List<String>> types() {
    Set<List<String>> result = new LinkedHashSet<>();
    spelled = true;
    for (List<String> sentence : sentences(CAST))
      result.add(sentence.subList(CAST.size(), sentence.size() - 1));
    spelled = false;
    return result;
  }

  /** A statement with a column of a type. */
  static List<String> column(List<String> type) {
    List<String> result = new ArrayList<>(List.of("CREATE", "TABLE", ID, "(", ID));
    result.addAll(type);
    result.add(")");
    return result;
  }

  private static boolean closed(List<String> tokens) {
    return Collections.frequency(tokens, "(") == Collections.frequency(tokens, ")");
  }

  /** Tokens after a prefix, with placeholders in place of what they stand for. */
  Set<String> next(List<String> tokens) {
    if (!querying && tokens.size() > 3 && tokens.get(0).equals("SELECT") && closed(tokens))
      return Set.of("");
    Set<String> next = raw(tokens), result = new TreeSet<>();
    String last = tokens.isEmpty() ? "" : tokens.get(tokens.size() - 1);
    if (tokens.size() == 1) next.addAll(hidden(tokens));
    if (last.equals(EXPRESSION))
      next.removeAll(minus(minus(infix, ""), querying ? AFTER_EXPRESSION : END_OF_EXPRESSION));
    if (last.equals(QUERY) || last.equals(INSERT)) next.removeAll(minus(afterQuery, ")", ""));
    if (tokens.subList(Math.max(0, tokens.size() - 2), tokens.size()).contains(TYPE))
      next.removeAll(minus(afterType, ")"));
    // "NOT NULL" behind a type may be followed by another collection of it.
    if (tokens.contains(TYPE) && (last.equals(TYPE) || last.equals("NULL")))
      next.removeAll(Set.of("ARRAY", "MULTISET"));
    if (next.contains("CASE") && next.contains("<UNSIGNED_INTEGER_LITERAL>")) {
      boolean query = next.contains("SELECT") || next.contains("VALUES");
      next.removeAll(operands);
      next.removeAll(queries);
      if (query) result.add(QUERY);
      result.add(EXPRESSION);
    } else if (next.contains("SELECT") && next.contains("VALUES")) {
      next.removeAll(queries);
      result.add(QUERY);
    }
    if (querying && last.equals(INTERVAL)) next.removeAll(Set.of("TO", "("));
    // The intervals of WITHIN are those of all literals.
    if (querying && last.equals("INTERVAL")) {
      next.clear();
      result.add(INTERVAL);
    }
    if (next.contains("INTERVAL") && next.contains("<QUOTED_STRING>")) {
      next.removeAll(operands);
      result.add(LITERAL);
    }
    if (next.contains("INSERT") && !tokens.isEmpty()) {
      next.removeAll(Set.of("INSERT", "UPSERT", "DELETE", "UPDATE", "MERGE", "WITH"));
      result.add(INSERT);
    }
    if (spelled && types.contains(last) && !last.equals("INT"))
      next.removeAll(Set.of("ARRAY", "MULTISET", "NOT", "NULL"));
    if (next.contains("BIGINT") && next.contains("BITMAP") && !(spelled && tokens.equals(CAST))) {
      next.removeAll(types);
      result.add(TYPE);
    }
    for (String token : next) {
      if (!token.startsWith("<")) result.add(token);
      else if (token.equals("<IDENTIFIER>")) result.add(ID);
      else if (token.equals("<QUOTED_STRING>")) result.add(TEXT);
      else if (token.equals("<UNSIGNED_INTEGER_LITERAL>")) result.add(NUMBER);
    }
    result.removeAll(Set.of(".", "/*+"));
    // Parameters have no values in a statement; FINAL and RUNNING are calls.
    if (querying)
      result.removeAll(Set.of("?", "FINAL", "RUNNING", "EXTEND", "STREAM", "SPECIFIC", "DEFAULT"));
    return result;
  }

  private static Set<String> both(Set<String> some, Set<String> others) {
    Set<String> result = new TreeSet<>(some);
    result.addAll(others);
    return result;
  }

  private static Set<String> minus(Set<String> all, String... kept) {
    Set<String> result = new TreeSet<>(all);
    result.removeAll(Arrays.asList(kept));
    return result;
  }

  private static List<String> plus(List<String> tokens, List<String> more) {
    List<String> result = new ArrayList<>(tokens);
    result.addAll(more);
    return result;
  }

  private static List<String> plus(List<String> tokens, String token) {
    List<String> result = new ArrayList<>(tokens);
    result.add(token);
    return result;
  }

  /** Sentences that begin with the tokens. */
  Set<List<String>> sentences(List<String> start) {
    Map<State, State> parents = new HashMap<>();
    Map<State, List<String>> prefixes = new HashMap<>();
    Map<State, List<String>> endings = new HashMap<>();
    List<List<String>> edges = new ArrayList<>();
    Deque<State> open = new ArrayDeque<>();
    Map<List<String>, State> after = new HashMap<>();
    State first = state(start);
    prefixes.put(first, start);
    open.add(first);
    while (!open.isEmpty()) {
      State state = open.poll();
      List<String> prefix = prefixes.get(state);
      for (String token : state.next) {
        if (token.isEmpty()) continue;
        List<String> longer = plus(prefix, token);
        if (longer.size() > limit) continue;
        State next = state(longer);
        if (next.next.isEmpty()) continue;
        edges.add(longer);
        after.put(longer, next);
        if (prefixes.putIfAbsent(next, longer) == null) open.add(next);
      }
    }
    // The shortest ending of each state, found backwards from those that end a sentence.
    for (State state : prefixes.keySet())
      if (state.next.contains("")) endings.put(state, List.of());
    boolean grown = true;
    while (grown) {
      grown = false;
      for (State state : prefixes.keySet()) {
        for (String token : state.next) {
          State next = after.get(plus(prefixes.get(state), token));
          List<String> ending = next == null ? null : endings.get(next);
          List<String> known = endings.get(state);
          if (ending == null) continue;
          // Of endings of the same length, the first in the order of words.
          int longerBy = known == null ? -1 : ending.size() + 1 - known.size();
          if (longerBy < 0
              || longerBy == 0 && text(plus(List.of(token), ending)).compareTo(text(known)) < 0) {
            List<String> longer = new ArrayList<>(List.of(token));
            longer.addAll(ending);
            endings.put(state, longer);
            grown = true;
          }
        }
      }
    }
    Set<List<String>> result = new LinkedHashSet<>();
    Set<List<String>> covered = new HashSet<>();
    if (first.next.contains("")) result.add(start);
    for (List<String> edge : edges) {
      if (covered.contains(pair(edge, edge.size()))) continue;
      List<String> ending = endings.get(after.get(edge));
      if (ending == null) continue;
      List<String> sentence = new ArrayList<>(edge);
      sentence.addAll(ending);
      if (!accepts(sentence)) continue;
      result.add(sentence);
      for (int i = 1; i <= sentence.size(); i++) covered.add(pair(sentence, i));
    }
    return result;
  }

  /** The first tokens, which say what a statement does. */
  private List<String> kind(List<String> tokens, int end) {
    if (end == 0) return List.of();
    String start = tokens.get(0);
    List<String> result = new ArrayList<>(List.of(start));
    // All details of EXPLAIN have the same clauses.
    if (start.equals("EXPLAIN")) return result;
    if (querying) {
      for (String token : tokens.subList(0, end))
        if (CLAUSES.contains(token)) result = new ArrayList<>(List.of(start, token));
      boolean behind = result.get(result.size() - 1).matches("DEFINE|UNPIVOT");
      if (behind && closed(tokens.subList(0, end)))
        result = new ArrayList<>(List.of(start, "FROM"));
      return result;
    }
    tokens.subList(1, end).stream()
        .filter(token -> !MODIFIERS.contains(token))
        .limit(start.equals("ALTER") ? 3 : 2)
        .forEach(result::add);
    return result;
  }

  /** The words of a sentence up to the kind of object, or the first two. */
  static String title(List<String> sentence) {
    List<String> words = new ArrayList<>();
    for (String token : sentence) {
      if (!token.matches("[A-Z_]+")) break;
      if (token.matches("TEMPORARY|SYSTEM")) continue;
      words.add(token);
      if (token.matches(OBJECTS)) return String.join(" ", words);
    }
    return String.join(
        " ", words.subList(0, Math.min(words.size(), words.get(0).equals("EXPLAIN") ? 1 : 2)));
  }

  /** The last two tokens in front of a position, and the kind of the statement. */
  private List<String> pair(List<String> tokens, int end) {
    List<String> result = new ArrayList<>(kind(tokens, end));
    result.addAll(tokens.subList(Math.max(0, end - 2), end));
    return result;
  }

  private State state(List<String> prefix) {
    String last = prefix.isEmpty() ? "" : prefix.get(prefix.size() - 1);
    return new State(kind(prefix, prefix.size()), last, next(prefix));
  }
}
