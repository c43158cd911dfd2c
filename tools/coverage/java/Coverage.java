import java.io.PrintStream;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.ObjectMapper;

/** Flink's answer to {@code Coverage PART SETUP.sql} as JSON on stdout; progress goes to stderr. */
public final class Coverage {
  private Coverage() {}

  public static void main(String[] arguments) throws Exception {
    PrintStream out = System.out;
    // Flink prints code that does not compile.
    System.setOut(System.err);
    out.println(new ObjectMapper().writeValueAsString(answer(arguments[0], Path.of(arguments[1]))));
  }

  private static Object answer(String part, Path setup) throws Exception {
    return switch (part) {
      case "inventory" ->
          Map.of(
              "nodes",
              Inventory.nodes(),
              "options",
              Inventory.options(),
              "factories",
              Inventory.factories());
      case "functions" -> new Functions(new Session(setup)).all();
      case "statements" -> statements(new Statements(new Session(setup)));
      default -> throw new IllegalArgumentException(part);
    };
  }

  /** Statements by their first words, with Flink's refusal, which is empty where it takes them. */
  private static Map<String, Map<String, String>> statements(Statements statements) {
    Grammar grammar = new Grammar(24);
    Map<String, Map<String, String>> result = new TreeMap<>();
    for (List<String> start : grammar.starts())
      for (List<String> sentence : grammar.sentences(start))
        add(result, Grammar.title(sentence), statements.example(sentence));
    for (List<String> query : grammar.queries()) add(result, "Queries", statements.query(query));
    for (List<String> type : grammar.types())
      add(result, "Data types", statements.example(Grammar.column(type)));
    return result;
  }

  private static void add(
      Map<String, Map<String, String>> result, String title, Map.Entry<String, String> example) {
    result.computeIfAbsent(title, key -> new TreeMap<>()).put(example.getKey(), example.getValue());
    System.err.println(title + "\t" + example.getKey() + "\t" + example.getValue());
  }
}
