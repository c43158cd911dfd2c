package org.compiledplan.kernel.operators;

import org.compiledplan.kernel.state.Columns;
import org.compiledplan.kernel.state.Fields;

/** State of one row that expires. */
final class ExpiringRow extends SingleEntry {
  private final Columns columns;
  Object[] row;

  ExpiringRow(long ttl, Columns columns) {
    super(ttl);
    this.columns = columns;
  }

  @Override
  public boolean isReusable() {
    return true;
  }

  @Override
  void content(Fields io) {
    row = io.row("row", columns, row);
  }
}
