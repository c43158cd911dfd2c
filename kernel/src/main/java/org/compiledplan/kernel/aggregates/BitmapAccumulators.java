package org.compiledplan.kernel.aggregates;

import org.compiledplan.kernel.state.serialization.Fields;
import org.compiledplan.kernel.values.Bitmaps;
import org.compiledplan.kernel.values.ValueType;
import org.roaringbitmap.RoaringBitmap;

/**
 * BITMAP_BUILD_AGG over integers; BITMAP_AND_AGG, BITMAP_OR_AGG and BITMAP_XOR_AGG over bitmaps;
 * and their variants that return the cardinality. Nulls are skipped.
 */
final class BitmapAccumulators {
  private BitmapAccumulators() {}

  /** The combination of the bitmaps of a group. */
  enum Operation {
    BUILD,
    AND,
    OR,
    XOR
  }

  /** Returns an accumulator; with retraction all operations but XOR count each member. */
  static Accumulator of(AggregateCall call, Operation operation) {
    return call.retract() && operation != Operation.XOR
        ? new Counting(call, operation)
        : new Combined(call, operation);
  }

  /** Shared parts: the argument, the number of its values, the result. */
  private abstract static class Base implements Accumulator {
    final Operation operation;
    private final int arg;
    private final boolean cardinality;

    /** Values that were added, less those retracted. */
    long rows;

    Base(AggregateCall call, Operation operation) {
      this.operation = operation;
      arg = call.args()[0];
      cardinality = call.resultType().isIntegral();
    }

    @Override
    public final void add(Object[] row) {
      change(row[arg], 1);
    }

    @Override
    public final void retract(Object[] row) {
      change(row[arg], -1);
    }

    private void change(Object value, int by) {
      if (value == null) return;
      rows += by;
      include(
          operation == Operation.BUILD
              ? RoaringBitmap.bitmapOf((Integer) value)
              : Bitmaps.read((byte[]) value),
          by);
    }

    /** Adds ({@code by} is 1) or retracts (-1) a bitmap. */
    abstract void include(RoaringBitmap bitmap, int by);

    abstract RoaringBitmap result();

    @Override
    public final Object value() {
      RoaringBitmap result = result();
      if (operation == Operation.BUILD ? result.isEmpty() : rows <= 0) return null;
      return cardinality ? (Object) result.getLongCardinality() : Bitmaps.write(result);
    }
  }

  /** The combined bitmap only. */
  private static final class Combined extends Base {
    private RoaringBitmap bitmap = new RoaringBitmap();
    private boolean present;

    Combined(AggregateCall call, Operation operation) {
      super(call, operation);
    }

    @Override
    void include(RoaringBitmap value, int by) {
      if (!present) {
        bitmap = value;
      } else {
        switch (operation) {
          case BUILD, OR -> bitmap.or(value);
          case AND -> bitmap.and(value);
          case XOR -> bitmap.xor(value);
        }
      }
      present = true;
    }

    @Override
    public void merge(Accumulator source) {
      Combined from = (Combined) source;
      if (from.present) include(from.bitmap.clone(), 1);
      rows += from.rows;
    }

    @Override
    RoaringBitmap result() {
      return bitmap;
    }

    @Override
    public AccumulatorForm form() {
      return AccumulatorForm.BITMAP;
    }

    @Override
    public void fields(Fields io) {
      rows = io.number("rows", rows);
      present = io.flag("present", present);
      bitmap = Bitmaps.read(io.bytes("bitmap", Bitmaps.write(bitmap)));
    }
  }

  /** The number of values with each member. */
  private static final class Counting extends Base {
    private static final ValueType MEMBER = ValueType.of(ValueType.Kind.INT);

    private final Counts counts = new Counts(MEMBER);

    Counting(AggregateCall call, Operation operation) {
      super(call, operation);
    }

    @Override
    void include(RoaringBitmap bitmap, int by) {
      bitmap.forEach((org.roaringbitmap.IntConsumer) member -> counts.change(member, by));
    }

    @Override
    public void merge(Accumulator source) {
      Counting from = (Counting) source;
      rows += from.rows;
      for (Counts.Entry entry : from.counts.entries()) counts.change(entry.value, entry.count);
    }

    @Override
    RoaringBitmap result() {
      long least = operation == Operation.AND ? rows : 1;
      RoaringBitmap bitmap = new RoaringBitmap();
      for (Counts.Entry entry : counts.entries()) {
        if (entry.count >= least) bitmap.add((int) (Integer) entry.value);
      }
      return bitmap;
    }

    @Override
    public AccumulatorForm form() {
      return AccumulatorForm.BITMAP_COUNTS;
    }

    @Override
    public void fields(Fields io) {
      rows = io.number("rows", rows);
      counts.fields(io);
    }
  }
}
