package org.compiledplan.kernel.operators.window;

import java.util.ArrayList;
import java.util.List;
import org.compiledplan.kernel.state.serialization.Columns;
import org.compiledplan.kernel.state.serialization.Fields;
import org.compiledplan.kernel.state.serialization.PackedList;
import org.compiledplan.kernel.state.serialization.PackedRow;
import org.compiledplan.kernel.state.serialization.Stored;

/**
 * Rows with their kinds in order of arrival, as bytes: appending does not touch the existing bytes.
 */
final class RowList implements Stored {
  final class Entry implements Stored {
    private byte kind;
    private PackedRow row;

    @Override
    public void fields(Fields io) {
      kind = (byte) io.code("kind", kind);
      row = io.packedRow("row", columns, row);
    }

    byte kind() {
      return kind;
    }

    Object[] row() {
      return row.row(columns.types());
    }
  }

  private final Columns columns;
  private final PackedList<Entry> entries = new PackedList<>(Entry::new);

  RowList(Columns columns) {
    this.columns = columns;
  }

  @Override
  public void fields(Fields io) {
    io.packedList("rows", entries);
  }

  void add(byte kind, Object[] row) {
    Entry entry = new Entry();
    entry.kind = kind;
    entry.row = PackedRow.of(row);
    entries.add(entry);
  }

  /** Appends another list's rows. */
  void addAll(RowList source) {
    entries.addAll(source.entries);
  }

  int size() {
    return entries.size();
  }

  List<Entry> entries() {
    return entries.all();
  }

  List<Object[]> rows() {
    List<Object[]> rows = new ArrayList<>(size());
    for (Entry entry : entries()) rows.add(entry.row());
    return rows;
  }
}
