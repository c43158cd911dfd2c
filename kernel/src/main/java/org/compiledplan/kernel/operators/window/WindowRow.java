package org.compiledplan.kernel.operators.window;

import com.fasterxml.jackson.databind.JsonNode;
import org.compiledplan.kernel.operators.aggregate.Accumulated;
import org.compiledplan.kernel.operators.base.OperatorSpec;
import org.compiledplan.kernel.operators.base.Out;
import org.compiledplan.kernel.values.RowKinds;
import org.compiledplan.kernel.values.ValueType;

/**
 * Builds a window aggregate's output row: the group's values, the results, then the window
 * properties.
 */
final class WindowRow {
  private enum Property {
    START,
    END,
    ROWTIME,
    PROCTIME
  }

  private final Property[] properties;
  private final ValueType[] types;
  private final int firstResult;
  private final int firstProperty;
  private final boolean needRetraction;
  private final WindowTimes times;

  WindowRow(
      OperatorSpec spec, int groupWidth, int results, boolean needRetraction, WindowTimes times) {
    JsonNode names = spec.get("properties");
    properties = new Property[names.size()];
    for (int i = 0; i < properties.length; i++)
      properties[i] = Property.valueOf(names.get(i).asText().toUpperCase());
    types = spec.output();
    firstResult = groupWidth;
    firstProperty = groupWidth + results;
    this.needRetraction = needRetraction;
    this.times = times;
  }

  /** Emits the result of a window, unless all its rows were retracted. */
  void emit(Object[] group, Accumulated rows, long start, long end, Out out) {
    if (needRetraction && rows.rows() == 0) return;
    Object[] row = new Object[firstProperty + properties.length];
    System.arraycopy(group, 0, row, 0, firstResult);
    rows.values(row, firstResult);
    for (int i = 0; i < properties.length; i++) {
      row[firstProperty + i] = property(properties[i], start, end, types[firstProperty + i]);
    }
    out.emit(RowKinds.INSERT, row);
  }

  private Object property(Property property, long start, long end, ValueType type) {
    return switch (property) {
      case START -> times.value(start, type);
      case END -> times.value(end, type);
      case ROWTIME -> times.value(end - 1, type);
      default -> null;
    };
  }
}
