package org.compiledplan.kernel.state.conversion;

import java.util.BitSet;
import org.compiledplan.kernel.operators.base.StateFormat;
import org.compiledplan.kernel.state.serialization.Columns;
import org.compiledplan.kernel.state.serialization.StateFormatException;

/**
 * Converts the bytes of one operator's state into those of another's. Serves one task at a time.
 *
 * <p>Fields are matched by name. In rows, the mapping moves columns, values of narrower types are
 * widened, and a new column is null; accumulators move with their calls, and a new call starts
 * fresh, recomputed from the stored rows if the operator has any. Times do not change. Parts whose
 * bytes do not change are copied.
 *
 * @param old format of the old state
 * @param next format of the new state
 * @param fields conversion of the fields
 * @param newCalls positions of calls without an old one
 */
public record Conversion(
    StateFormat<?> old, StateFormat<?> next, FieldsConversion fields, BitSet newCalls) {
  /**
   * Creates the conversion between two operators.
   *
   * @param mapping columns and calls of the new operator in the old one
   * @param old format of the old state
   * @param next format of the new state
   * @throws StateFormatException if the state cannot be converted; the message names the field and
   *     the reason
   */
  public static Conversion of(StateMapping mapping, StateFormat<?> old, StateFormat<?> next) {
    ConversionPosition context = new ConversionPosition(mapping);
    if (old.kind() != next.kind()) {
      throw context.problem("it is " + next.kind().text() + " instead of " + old.kind().text());
    }
    checkKeys(old.keys(), next.keys(), context);
    FieldsConversion fields = FieldsConversion.of(old.fields(), next.fields(), context);
    return new Conversion(old, next, fields, mapping.newCalls());
  }

  /** The key's text in the state store does not change, so neither may its values. */
  private static void checkKeys(Columns[] old, Columns[] next, ConversionPosition context) {
    if (old.length != next.length) {
      throw context.problem("it has " + next.length + " inputs instead of " + old.length);
    }
    for (int input = 0; input < next.length; input++) {
      ConversionPosition key = context.in("key of input " + input);
      if (old[input].size() != next[input].size()) {
        throw key.problem(
            "it has " + next[input].size() + " columns instead of " + old[input].size());
      }
      for (int i = 0; i < next[input].size(); i++) {
        StateMapping.Place was = context.mapping.column(input, next[input].place(i));
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

  /** Converts the old operator's bytes into the new operator's. */
  public byte[] convert(byte[] bytes) {
    if (isCopy()) return bytes;
    return next.encode(fields.apply(old.decode(bytes)), newCalls);
  }
}
