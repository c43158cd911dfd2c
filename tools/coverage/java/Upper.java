import org.apache.flink.table.functions.ScalarFunction;

/** The function that the examples of statements name. */
public final class Upper extends ScalarFunction {
  public String eval(String text) {
    return text == null ? null : text.toUpperCase();
  }
}
