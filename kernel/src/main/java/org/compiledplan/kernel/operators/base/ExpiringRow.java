package org.compiledplan.kernel.operators.base;

import org.compiledplan.kernel.state.serialization.Columns;
import org.compiledplan.kernel.state.serialization.Fields;

/** State of one row that expires. */
public final class ExpiringRow extends SingleEntry {
  private final Columns columns;
  public Object[] row;

  public ExpiringRow(long ttl, Columns columns) {
    super(ttl);
    this.columns = columns;
  }

  @Override
  public boolean isReusable() {
    return true;
  }

  @Override
  public void content(Fields io) {
    row = io.row("row", columns, row);
  }
}
