package org.compiledplan.kernel.upgrade;

import java.util.BitSet;
import org.compiledplan.kernel.operators.StateFormat;
import org.compiledplan.kernel.state.Columns;
import org.compiledplan.kernel.state.StateFormatException;

/**
 * Makes of the bytes of one operator's state those of another's. Serves one task at a time.
 *
 * <p>Both say what their fields are. Fields are found by their names; in rows, columns go to where
 * the mapping says, values of narrower types are widened, and a column that was not there is null;
 * accumulators go with their calls, and one that was not there begins anew, with the rows that are
 * kept where an operator keeps them. Times are as they were. Where nothing of this changes a byte,
 * bytes are copied.
 */
public record Conversion(
    StateFormat<?> old, StateFormat<?> next, FieldsConversion fields, BitSet newCalls) {
  /**
   * @param mapping where the columns and calls of the new operator are found in the old one
   * @param old what the old state is
   * @param next what the new state is
   * @throws StateFormatException if the one cannot be made of the other; says which field, and why
   */
  public static Conversion of(OperatorMapping mapping, StateFormat<?> old, StateFormat<?> next) {
    Context context = new Context(mapping);
    if (old.kind() != next.kind()) {
      throw context.problem("it is " + next.kind().text() + ", and that was " + old.kind().text());
    }
    checkKeys(old.keys(), next.keys(), context);
    FieldsConversion fields = FieldsConversion.of(old.fields(), next.fields(), context);
    return new Conversion(old, next, fields, mapping.newCalls());
  }

  /** The text by which the state store finds a key stays as it is, so its values must, too. */
  private static void checkKeys(Columns[] old, Columns[] next, Context context) {
    if (old.length != next.length) {
      throw context.problem("it has " + next.length + " inputs, and that had " + old.length);
    }
    for (int input = 0; input < next.length; input++) {
      Context key = context.in("key of input " + input);
      if (old[input].size() != next[input].size()) {
        throw key.problem(
            "it has " + next[input].size() + " columns, and that had " + old[input].size());
      }
      for (int i = 0; i < next[input].size(); i++) {
        OperatorMapping.Place was = context.mapping.column(input, next[input].place(i));
        if (was == null || was.input() != input || was.column() != old[input].place(i)) {
          throw key.problem("its column " + i + " was " + (was == null ? "not there" : was));
        }
        if (!key.widening(old[input].types()[i], next[input].types()[i]).sameText()) {
          throw key.problem(
              old[input].types()[i].text()
                  + " and "
                  + next[input].types()[i].text()
                  + " of one value are different keys");
        }
      }
    }
  }

  public boolean isCopy() {
    return fields.sameBytes;
  }

  /** The new operator's bytes of the old one's. */
  public byte[] convert(byte[] bytes) {
    if (isCopy()) return bytes;
    return next.encode(fields.apply(old.decode(bytes)), newCalls);
  }
}
