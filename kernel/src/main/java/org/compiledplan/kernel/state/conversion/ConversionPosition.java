package org.compiledplan.kernel.state.conversion;

import org.compiledplan.kernel.state.serialization.StateFormatException;
import org.compiledplan.kernel.values.ValueType;

/** Position of a conversion within the state, for messages. */
final class ConversionPosition {
  final StateMapping mapping;

  /** Path of field names to this position. */
  private final String path;

  ConversionPosition(StateMapping mapping) {
    this(mapping, "");
  }

  private ConversionPosition(StateMapping mapping, String path) {
    this.mapping = mapping;
    this.path = path;
  }

  /** The position of a nested field. */
  ConversionPosition in(String field) {
    return new ConversionPosition(mapping, path.isEmpty() ? field : path + "." + field);
  }

  Widening widening(ValueType from, ValueType to) {
    Widening widening = Widening.of(from, to);
    if (widening != null) return widening;
    throw problem("values of " + from.text() + " cannot become " + to.text());
  }

  /** An error with this position and the reason. */
  StateFormatException problem(String why) {
    return new StateFormatException(
        "operator %s%s: cannot convert the state of %s: %s"
            .formatted(mapping.to, path.isEmpty() ? "" : ", field " + path, mapping.from, why));
  }
}
