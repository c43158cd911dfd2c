import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.ObjectMapper;

/** Ask Flink for what it has: {@code Coverage SECTION SETUP.sql [FORMS.txt]}; the answer is JSON on stdout. */
public final class Coverage {
  public static void main(String[] arguments) throws Exception {
    ObjectMapper mapper = new ObjectMapper();
    if (arguments[0].equals("inventory")) {
      Map<String, Object> all = Map.of("nodes", Inventory.nodes(), "options", Inventory.options(), "factories", Inventory.factories());
      System.out.println(mapper.writeValueAsString(all));
      return;
    }
    Session session = new Session(Path.of(arguments[1]));
    if (arguments[0].equals("functions")) System.out.println(mapper.writeValueAsString(new Functions(session).all()));
    else
      for (String line : Files.readAllLines(Path.of(arguments[2])))
        System.out.println(mapper.writeValueAsString(new Statements(session).example(List.of(line.split(" ")))));
  }
}
