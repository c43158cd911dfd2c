package org.compiledplan.kernel.operators.base;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.Random;
import org.compiledplan.kernel.state.serialization.ByteFields;
import org.compiledplan.kernel.state.serialization.Columns;
import org.compiledplan.kernel.values.ByteReader;
import org.compiledplan.kernel.values.ByteWriter;
import org.compiledplan.kernel.values.RowKinds;
import org.compiledplan.kernel.values.ValueType;
import org.compiledplan.kernel.values.ValueType.Kind;
import org.junit.jupiter.api.Test;

class WaitingRowsTest {
  private static final Columns COLUMNS =
      Columns.ofInput(0, new ValueType[] {ValueType.of(Kind.LONG)});
  private static final long BEFORE_ALL = Long.MIN_VALUE;

  @Test
  void rowsAreTakenByTheirTimesAndEqualOnesAsTheyCame() {
    WaitingRows rows = new WaitingRows(COLUMNS);
    add(rows, 30, BEFORE_ALL, 0);
    add(rows, 10, BEFORE_ALL, 1);
    add(rows, 20, BEFORE_ALL, 2);
    add(rows, 10, BEFORE_ALL, 3);
    assertEquals(OptionalLong.of(10), rows.firstDue());
    assertEquals(List.of(), taken(rows, 9));
    assertEquals(List.of(1L, 3L, 2L), taken(rows, 20));
    assertEquals(OptionalLong.of(30), rows.firstDue());
    assertEquals(1, rows.count());
    assertEquals(List.of(0L), taken(rows, Long.MAX_VALUE));
    assertEquals(OptionalLong.empty(), rows.firstDue());
  }

  @Test
  void aRowBehindTheWatermarkWaitsForTheNext() {
    WaitingRows rows = new WaitingRows(COLUMNS);
    add(rows, 5, 10, 0);
    add(rows, 10, 10, 1);
    add(rows, 11, 10, 2);
    assertEquals(List.of(), taken(rows, 10));
    assertEquals(List.of(0L, 1L, 2L), taken(rows, 11), "due at one watermark, in order of time");
  }

  @Test
  void aMarkIsDueWithoutARow() {
    WaitingRows rows = new WaitingRows(COLUMNS);
    rows.addMark(7, BEFORE_ALL);
    add(rows, 8, BEFORE_ALL, 0);
    List<WaitingRows.Waiting> due = rows.take(8);
    assertTrue(due.get(0).isMark());
    assertEquals(7, due.get(0).time());
    assertFalse(due.get(1).isMark());
  }

  /** Rows, watermarks and stored bytes in any order, compared with a linear list. */
  @Test
  void storedRowsBehaveLikeNewOnes() {
    Random random = new Random(20_261_125);
    for (int run = 0; run < 200; run++) {
      WaitingRows rows = new WaitingRows(COLUMNS);
      List<long[]> model = new ArrayList<>();
      long watermark = -20;
      for (int step = 0; step < 40; step++) {
        int action = random.nextInt(6);
        if (action == 0) rows = stored(rows);
        if (action == 1) {
          long reached = watermark += random.nextInt(8);
          List<Long> expected =
              model.stream()
                  .filter(row -> row[1] <= reached)
                  .sorted(
                      (a, b) -> a[1] != b[1] ? Long.compare(a[1], b[1]) : Long.compare(a[0], b[0]))
                  .map(row -> row[2])
                  .toList();
          model.removeIf(row -> row[1] <= reached);
          assertEquals(expected, taken(rows, reached));
        }
        if (action > 1) {
          long time = random.nextInt(60) - 30;
          add(rows, time, watermark, step);
          model.add(new long[] {time, time > watermark ? time : watermark + 1, step});
        }
        assertEquals(model.size(), rows.count());
        OptionalLong first = model.stream().mapToLong(row -> row[1]).min();
        assertEquals(first, rows.firstDue());
      }
    }
  }

  private static void add(WaitingRows rows, long time, long watermark, long value) {
    rows.add(time, watermark, RowKinds.INSERT, new Object[] {value});
  }

  private static List<Long> taken(WaitingRows rows, long watermark) {
    return rows.take(watermark).stream().map(waiting -> (Long) waiting.row()[0]).toList();
  }

  private static WaitingRows stored(WaitingRows rows) {
    ByteWriter out = new ByteWriter();
    rows.fields(new ByteFields.Writer(out));
    WaitingRows read = new WaitingRows(COLUMNS);
    read.fields(new ByteFields.Reader(new ByteReader(out.toBytes())));
    return read;
  }
}
