package org.compiledplan.kernel.host.runtime;

import java.io.Serializable;
import java.util.Collections;
import java.util.Iterator;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.unsafe.types.UTF8String;
import org.compiledplan.kernel.host.spark.TaskParts;

/**
 * Rows that are for operators of later stages. They are set aside before the stage's host and
 * returned after it: the host would look up each of their keys and announce it to Spark.
 */
public final class BypassedRows implements Serializable {
  private final StageSpec spec;
  private final int fields;
  private final TaskParts<Iterator<UnsafeRow>> aside = TaskParts.unique();

  /**
   * @param fields number of fields of the struct in packed rows
   */
  public BypassedRows(StageSpec spec, int fields) {
    this.spec = spec;
    this.fields = fields;
  }

  public Set<UTF8String> operators() {
    return spec.operators.stream()
        .map(part -> UTF8String.fromString(part.uid))
        .collect(Collectors.toSet());
  }

  /** Sets packed rows aside until the task takes them or ends. */
  public void add(Iterator<UnsafeRow> rows) {
    aside.put(rows);
  }

  /** Returns the rows set aside, in the format of the host's output. */
  public Iterator<InternalRow> taken() {
    Iterator<UnsafeRow> rows = aside.take();
    if (rows == null) return Collections.emptyIterator();
    Object[] struct = new Object[1];
    InternalRow wrapped = new GenericInternalRow(struct);
    return new Iterator<InternalRow>() {
      @Override
      public boolean hasNext() {
        return rows.hasNext();
      }

      @Override
      public InternalRow next() {
        UnsafeRow row = rows.next();
        struct[0] =
            passed(
                spec,
                row.getUTF8String(StageKeys.OP),
                row.getUTF8String(StageKeys.KEY),
                row.getStruct(InternalRows.PACKED, fields));
        return wrapped;
      }
    };
  }

  /** A row for an operator of another stage: head and pass-through columns unchanged. */
  static InternalRow passed(StageSpec spec, UTF8String op, UTF8String key, InternalRow row) {
    int width = spec.outputSchema.length();
    int firstPassing = width - spec.passThrough.length;
    Object[] values = new Object[width];
    values[StageSpec.OP] = op;
    values[StageSpec.KEY] = key;
    for (int i = StageSpec.PORT; i < spec.head.length; i++)
      values[i] = value(spec, row, spec.head[i]);
    for (int i = 0; i < spec.passThrough.length; i++) {
      values[firstPassing + i] = value(spec, row, spec.passThrough[i]);
    }
    return new GenericInternalRow(values);
  }

  private static Object value(StageSpec spec, InternalRow row, int column) {
    return row.get(column, spec.inputSchema.apply(column).dataType());
  }
}
