import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlOperator;
import org.apache.calcite.sql.dialect.AnsiSqlDialect;
import org.apache.calcite.sql.parser.SqlParser;
import org.apache.calcite.sql.parser.SqlParserPos;
import org.apache.flink.table.expressions.ResolvedExpression;
import org.apache.flink.table.functions.BuiltInFunctionDefinition;
import org.apache.flink.table.functions.BuiltInFunctionDefinitions;
import org.apache.flink.table.functions.FunctionDefinition;
import org.apache.flink.table.planner.functions.sql.FlinkSqlOperatorTable;
import org.apache.flink.table.types.inference.ArgumentCount;
import org.apache.flink.table.types.inference.InputTypeStrategy;
import org.apache.flink.table.types.inference.Signature;

/**
 * Calls of Flink's functions with arguments that Flink takes: one for each number of arguments and
 * type of each.
 */
final class Functions {
  /** Arguments, one of each type family; the columns are those of setup.sql. */
  private static final List<String> VALUES =
      List.of(
          "i",
          "s",
          "d",
          "n",
          "b",
          "x",
          "da",
          "ti",
          "ts",
          "ltz",
          "ai",
          "sa",
          "m",
          "r",
          "INTERVAL '1' HOUR",
          "INTERVAL '1' MONTH");

  /** Arguments that have to be constant, or are no values. */
  private static final List<String> OTHERS =
      List.of(
          "1",
          "'a'",
          "'$.a'",
          "TRUE",
          "'HOUR'",
          "HOUR",
          "PARSE_JSON('1')",
          "BITMAP_BUILD(ai)",
          "TABLE t",
          "DESCRIPTOR(ts)",
          "DESCRIPTOR(i)",
          "TABLE v",
          "MODEL mo",
          "INTERVAL '2' HOUR",
          "ra",
          "COLLECT(i)");

  private static final List<String> SCALARS =
      concat(
          List.of(
              "i",
              "s",
              "1",
              "'a'",
              "ts",
              "da",
              "ai",
              "d",
              "x",
              "m",
              "b",
              "r",
              "INTERVAL '1' HOUR",
              "'$.a'",
              "PARSE_JSON('1')",
              "BITMAP_BUILD(ai)"),
          OTHERS);
  private static final List<String> TABLES =
      List.of(
          "TABLE t",
          "DESCRIPTOR(ts)",
          "INTERVAL '1' HOUR",
          "INTERVAL '2' HOUR",
          "MODEL mo",
          "DESCRIPTOR(i)",
          "TABLE v",
          "TABLE t PARTITION BY i",
          "ai",
          "1",
          "'a'");
  private static final List<String> CONTEXTS =
      List.of(
          "SELECT %s FROM t",
          "SELECT %s OVER (PARTITION BY i ORDER BY pt) FROM t",
          "SELECT * FROM TABLE(%s)",
          "SELECT * FROM t, LATERAL TABLE(%s)",
          "SELECT COUNT(*) FROM t GROUP BY %s",
          "SELECT %s FROM t GROUP BY TUMBLE(ts, INTERVAL '1' HOUR)",
          "SELECT %s FROM t GROUP BY HOP(ts, INTERVAL '1' HOUR, INTERVAL '2' HOUR)",
          "SELECT %s FROM t GROUP BY SESSION(ts, INTERVAL '1' HOUR)",
          "SELECT i, %s FROM t GROUP BY GROUPING SETS ((i), ())",
          "SELECT * FROM t MATCH_RECOGNIZE (ORDER BY ts MEASURES %s AS z PATTERN (A C) DEFINE A AS"
              + " A.i > 0)");

  /** Contexts, by number, in which functions of a kind are called. */
  private static final Map<String, List<Integer>> BY_KIND =
      Map.of(
          "SCALAR",
          List.of(0),
          "ASYNC_SCALAR",
          List.of(0),
          "AGGREGATE",
          List.of(0, 1),
          "TABLE",
          List.of(3, 2),
          "ASYNC_TABLE",
          List.of(3),
          "PROCESS_TABLE",
          List.of(2),
          "TABLE_AGGREGATE",
          List.of(0));

  private static final List<Integer> ANY = List.of(0, 1, 2, 3, 4, 5, 6, 7, 8, 9);

  private final Session session;
  private int trials;
  private String refusal;

  private static List<String> concat(List<String> some, List<String> others) {
    Set<String> result = new LinkedHashSet<>(some);
    result.addAll(others);
    return List.copyOf(result);
  }

  Functions(Session session) {
    this.session = session;
  }

  /** All calls by function. */
  Map<String, Map<String, Object>> all() {
    Map<String, Map<String, Object>> result = new TreeMap<>();
    for (BuiltInFunctionDefinition definition : builtIn()) {
      InputTypeStrategy strategy = strategy(definition);
      String name = definition.getSqlName();
      ArgumentCount count = strategy == null ? null : strategy.getArgumentCount();
      Function<List<String>, String> text =
          arguments ->
              definition
                  .getCallSyntax()
                  .unparse(name, arguments.stream().map(Functions::raw).toList(), f -> name);
      add(
          result,
          definition.getName(),
          definition.getKind().name(),
          text,
          count == null ? 0 : count.getMinCount().orElse(0),
          count == null ? 4 : count.getMaxCount().orElse(4),
          strategy == null ? List.of() : hints(definition, strategy));
      System.err.println(
          definition.getName()
              + " "
              + trials
              + " "
              + result.get(definition.getName()).get("calls"));
    }
    Set<String> known = new LinkedHashSet<>();
    for (BuiltInFunctionDefinition definition : builtIn())
      known.add(definition.getSqlName().toUpperCase());
    for (SqlOperator operator : FlinkSqlOperatorTable.instance(false).getOperatorList()) {
      if (known.contains(operator.getName().toUpperCase()) || operator.getName().startsWith("$"))
        continue;
      int min = 0, max = 4;
      try {
        min = operator.getOperandCountRange().getMin();
        max = operator.getOperandCountRange().getMax();
      } catch (Exception | Error e) {
        // Operators without a range take what their syntax takes.
      }
      Function<List<String>, String> text =
          arguments -> {
            List<SqlNode> nodes = new ArrayList<>();
            for (String argument : arguments) nodes.add(node(argument));
            return operator
                .createCall(SqlParserPos.ZERO, nodes)
                .toSqlString(AnsiSqlDialect.DEFAULT)
                .getSql()
                .replace("`", "");
          };
      String name =
          operator.getName()
              + (result.containsKey(operator.getName()) ? " (" + operator.getSyntax() + ")" : "");
      add(result, name, "SQL", text, min, max < 0 ? 4 : max, List.of());
      System.err.println(
          name
              + "\t"
              + new java.util.ArrayList<>((List<?>) result.get(name).get("calls"))
              + "\t"
              + result.get(name).get("flink"));
    }
    Statements statements = new Statements(session);
    new Grammar(14)
        .calls()
        .forEach(
            (name, sentences) -> {
              Map<String, Object> entry =
                  result.computeIfAbsent(
                      name,
                      key ->
                          new LinkedHashMap<>(
                              Map.of(
                                  "kind",
                                  "SQL",
                                  "calls",
                                  new ArrayList<>(),
                                  "refused",
                                  new LinkedHashMap<>())));
              @SuppressWarnings("unchecked")
              List<String> calls = (List<String>) entry.get("calls");
              @SuppressWarnings("unchecked")
              Map<String, String> refused = (Map<String, String>) entry.get("refused");
              for (List<String> sentence : sentences) {
                Map.Entry<String, String> example = statements.example(sentence);
                if (example.getValue().isEmpty()) {
                  if (!calls.contains(example.getKey())) calls.add(example.getKey());
                } else if (valid(example.getKey()))
                  refused.put(example.getKey(), example.getValue());
                else entry.put("flink", example.getValue());
              }
              if (!calls.isEmpty() || !refused.isEmpty()) entry.remove("flink");
              System.err.println(name + "\t" + calls + "\t" + entry.get("flink"));
            });
    return result;
  }

  private static List<BuiltInFunctionDefinition> builtIn() {
    List<BuiltInFunctionDefinition> result = new ArrayList<>();
    for (FunctionDefinition definition : BuiltInFunctionDefinitions.getDefinitions())
      if (definition instanceof BuiltInFunctionDefinition built && !built.isInternal())
        result.add(built);
    result.sort(Comparator.comparing(BuiltInFunctionDefinition::getName));
    return result;
  }

  private static InputTypeStrategy strategy(BuiltInFunctionDefinition definition) {
    try {
      return definition.getTypeInference(null).getInputTypeStrategy();
    } catch (Exception | Error e) {
      return null;
    }
  }

  private void add(
      Map<String, Map<String, Object>> result,
      String name,
      String kind,
      Function<List<String>, String> text,
      int min,
      int max,
      List<List<List<String>>> hints) {
    Map<String, Object> entry = new LinkedHashMap<>();
    Set<String> calls = new LinkedHashSet<>();
    refusal = "";
    trials = 0;
    for (int count = min; count <= Math.min(max, Math.max(min, 4)); count++) {
      int size = count;
      List<List<List<String>>> fitting =
          new ArrayList<>(hints.stream().filter(hint -> hint.size() == size).toList());
      if (fitting.isEmpty()) fitting.add(List.of());
      for (List<List<String>> hint : fitting) {
        List<String> base = first(text, count, BY_KIND.getOrDefault(kind, ANY), hint);
        if (base == null) continue;
        calls.add(base.get(base.size() - 1));
        String context = base.get(base.size() - 2);
        for (int at = 0; at < count; at++) {
          for (String value : VALUES) {
            List<String> changed = new ArrayList<>(base.subList(0, count));
            changed.set(at, value);
            String sql = sql(context, text, changed);
            if (sql != null && !calls.contains(sql) && valid(sql)) calls.add(sql);
          }
        }
      }
    }
    List<String> compiled = new ArrayList<>();
    Map<String, String> refused = new LinkedHashMap<>();
    for (String sql : calls) {
      String answer = session.refusal(sql);
      if (answer.isEmpty()) compiled.add(sql);
      else refused.put(sql, answer);
    }
    entry.put("kind", kind);
    entry.put("calls", compiled);
    entry.put("refused", refused);
    if (compiled.isEmpty() && refused.isEmpty()) entry.put("flink", refusal);
    result.put(name, entry);
  }

  /**
   * The first arguments that are valid, with their context and their statement; null if there are
   * none.
   */
  private List<String> first(
      Function<List<String>, String> text,
      int count,
      List<Integer> contexts,
      List<List<String>> hints) {
    for (int context : contexts) {
      List<List<String>> all =
          Collections.nCopies(
              count,
              CONTEXTS.get(context).contains("TABLE(%s)") && context == 2 ? TABLES : SCALARS);
      List<String> result = null;
      if (hints.size() == count && context != 2)
        result = tried(text, CONTEXTS.get(context), hints, 150);
      if (result == null)
        result =
            tried(
                text, CONTEXTS.get(context), all, contexts.size() > 4 ? 25 : count == 1 ? 40 : 350);
      if (result != null) return result;
    }
    return null;
  }

  private List<String> tried(
      Function<List<String>, String> text, String context, List<List<String>> choices, int limit) {
    for (int sum = 0; limit > 0; sum++) {
      List<List<String>> combinations = new ArrayList<>();
      combine(choices, new ArrayList<>(), sum, combinations, limit);
      if (combinations.isEmpty() && sum > 0) return null;
      for (List<String> arguments : combinations) {
        limit--;
        String sql = sql(context, text, arguments);
        if (sql != null && valid(sql)) {
          List<String> result = new ArrayList<>(arguments);
          result.add(context);
          result.add(sql);
          return result;
        }
      }
      if (choices.isEmpty()) return null;
    }
    return null;
  }

  /** Combinations whose positions in the lists add up to a sum: the likelier arguments first. */
  private static void combine(
      List<List<String>> choices,
      List<String> start,
      int rest,
      List<List<String>> result,
      int limit) {
    if (result.size() >= limit) return;
    if (start.size() == choices.size()) {
      if (rest == 0) result.add(List.copyOf(start));
      return;
    }
    List<String> own = choices.get(start.size());
    for (int i = Math.min(rest, own.size() - 1); i >= 0; i--) {
      start.add(own.get(i));
      combine(choices, start, rest - i, result, limit);
      start.remove(start.size() - 1);
    }
  }

  /** Arguments by the words of the signature that Flink shows in its messages. */
  private static final Map<String, List<String>> HINTS =
      Map.ofEntries(
          Map.entry("CHARACTER", List.of("s", "'a'", "'HOUR'", "'$.a'")),
          Map.entry("STRING", List.of("s", "'a'", "'HOUR'")),
          Map.entry("CHAR", List.of("s", "'a'")),
          Map.entry("NUMERIC", List.of("i", "d", "n", "1")),
          Map.entry("INT", List.of("i", "1")),
          Map.entry("BIGINT", List.of("i", "1")),
          Map.entry("DOUBLE", List.of("d")),
          Map.entry("BINARY", List.of("x")),
          Map.entry("BYTES", List.of("x")),
          Map.entry("BOOLEAN", List.of("b", "TRUE")),
          Map.entry("TIMESTAMP", List.of("ts", "ltz")),
          Map.entry("TIMESTAMP_LTZ", List.of("ltz")),
          Map.entry("DATE", List.of("da")),
          Map.entry("DATETIME", List.of("ts", "da")),
          Map.entry("TIME", List.of("ti")),
          Map.entry("INTERVAL", List.of("INTERVAL '1' HOUR", "INTERVAL '1' MONTH")),
          Map.entry("ARRAY", List.of("ai", "sa", "ra")),
          Map.entry("MAP", List.of("m", "MAP['a', 1]")),
          Map.entry("ROW", List.of("r")),
          Map.entry("VARIANT", List.of("PARSE_JSON('1')")),
          Map.entry("BITMAP", List.of("BITMAP_BUILD(ai)")),
          Map.entry("ANY", List.of("i", "s", "ai", "r", "i > 0")),
          Map.entry("COMPARABLE", List.of("i", "s")),
          Map.entry("MULTISET", List.of("(SELECT COLLECT(i) FROM t)")),
          Map.entry("DESCRIPTOR", List.of("DESCRIPTOR(ts)")),
          Map.entry("TABLE", List.of("TABLE t")));

  private static List<List<List<String>>> hints(
      BuiltInFunctionDefinition definition, InputTypeStrategy strategy) {
    List<List<List<String>>> result = new ArrayList<>();
    try {
      for (Signature signature : strategy.getExpectedSignatures(definition)) {
        List<List<String>> arguments = new ArrayList<>();
        for (Signature.Argument argument : signature.getArguments()) {
          Set<String> values = new LinkedHashSet<>();
          for (String word : argument.getType().split("[^A-Z_]+")) {
            String known =
                word.replaceAll(
                        "^(CHARACTER|INTEGER_NUMERIC|INTEGER|EXACT_NUMERIC|APPROXIMATE_NUMERIC|NUMERIC|BINARY).*",
                        "$1")
                    .replaceAll("^(INTEGER|EXACT|APPROXIMATE).*", "NUMERIC");
            values.addAll(HINTS.getOrDefault(known, List.of()));
          }
          arguments.add(values.isEmpty() ? SCALARS : List.copyOf(values));
        }
        result.add(arguments);
      }
    } catch (Exception | Error e) {
      return result;
    }
    return result;
  }

  private static String sql(
      String context, Function<List<String>, String> text, List<String> arguments) {
    try {
      return context.replace("%s", text.apply(arguments));
    } catch (Exception | Error e) {
      return null;
    }
  }

  private boolean valid(String sql) {
    trials++;
    try {
      session.operation(sql);
      return true;
    } catch (Exception | Error e) {
      if (refusal.isEmpty()) refusal = Session.message(e);
      return false;
    }
  }

  private static SqlNode node(String text) {
    try {
      return SqlParser.create(text, Grammar.CONFIG).parseExpression();
    } catch (Exception e) {
      throw new IllegalArgumentException(text, e);
    }
  }

  private static ResolvedExpression raw(String text) {
    return (ResolvedExpression)
        Proxy.newProxyInstance(
            Functions.class.getClassLoader(),
            new Class<?>[] {ResolvedExpression.class},
            (proxy, method, arguments) ->
                switch (method.getName()) {
                  case "asSerializableString", "toString", "asSummaryString" -> text;
                  case "getResolvedChildren", "getChildren" -> List.of();
                  default -> throw new UnsupportedOperationException(method.getName());
                });
  }
}
