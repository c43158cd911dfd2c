package org.compiledplan.kernel.upgrade;

import org.compiledplan.kernel.state.StateFormatException;
import org.compiledplan.kernel.values.ValueType;

/** What is being converted, for those who need to know where they are. */
final class Context {
  final OperatorMapping mapping;

  /** Names of the fields that lead here. */
  private final String path;

  Context(OperatorMapping mapping) {
    this(mapping, "");
  }

  private Context(OperatorMapping mapping, String path) {
    this.mapping = mapping;
    this.path = path;
  }

  /** The same in a field. */
  Context in(String field) {
    return new Context(mapping, path.isEmpty() ? field : path + "." + field);
  }

  Widening widening(ValueType from, ValueType to) {
    Widening widening = Widening.of(from, to);
    if (widening != null) return widening;
    throw problem("values of " + from.text() + " cannot become " + to.text());
  }

  /** Says that it cannot be done, where, and why. */
  StateFormatException problem(String why) {
    return new StateFormatException(
        "operator %s%s: it cannot be made from the state of %s: %s"
            .formatted(mapping.to, path.isEmpty() ? "" : ", field " + path, mapping.from, why));
  }
}
