package org.example;

import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.apache.flink.table.annotation.ArgumentHint;
import org.apache.flink.table.annotation.ArgumentTrait;
import org.apache.flink.table.annotation.DataTypeHint;
import org.apache.flink.table.annotation.FunctionHint;
import org.apache.flink.table.api.dataview.ListView;
import org.apache.flink.table.api.dataview.MapView;
import org.apache.flink.table.catalog.DataTypeFactory;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.functions.AggregateFunction;
import org.apache.flink.table.functions.AsyncScalarFunction;
import org.apache.flink.table.functions.AsyncTableFunction;
import org.apache.flink.table.functions.FunctionContext;
import org.apache.flink.table.functions.ProcessTableFunction;
import org.apache.flink.table.functions.ScalarFunction;
import org.apache.flink.table.functions.TableFunction;
import org.apache.flink.table.types.inference.TypeInference;
import org.apache.flink.types.Row;
import org.apache.flink.types.bitmap.Bitmap;
import org.apache.flink.types.variant.Variant;

/** User functions of all kinds, which the tests compile and run here and in Flink. */
public final class Samples {
  private Samples() {}

  /** Overloads, varargs, nulls. */
  public static class Shout extends ScalarFunction {
    public String eval(String text) {
      return text == null ? "(null)" : text.toUpperCase() + "!";
    }

    public String eval(Integer number) {
      return "int " + number;
    }

    public String eval(String text, Integer... times) {
      StringBuilder all = new StringBuilder(String.valueOf(text));
      for (Integer time : times) all.append(',').append(time);
      return all.toString();
    }

    public Long eval(long left, long right) {
      return left + right;
    }

    public static String eval(Boolean flag) {
      return "static " + flag;
    }
  }

  /** Reads job parameters, counts with a metric; counts its rows. */
  public static class Opened extends ScalarFunction {
    private transient String greeting;
    private transient org.apache.flink.metrics.Counter counter;

    @Override
    public void open(FunctionContext context) {
      greeting = context.getJobParameter("greeting", "hello");
      counter = context.getMetricGroup().counter("rows");
    }

    public String eval(String name) {
      counter.inc();
      return greeting + " " + name;
    }

    @Override
    public void close() {
      greeting = null;
    }
  }

  /** Not deterministic. */
  public static class Dice extends ScalarFunction {
    public int eval(int sides) {
      return (int) (Math.random() * sides);
    }

    @Override
    public boolean isDeterministic() {
      return false;
    }
  }

  /** A value class with getters, setters and a default constructor. */
  public static class Point {
    public Integer x;
    private String label;

    public String getLabel() {
      return label;
    }

    public void setLabel(String label) {
      this.label = label;
    }
  }

  /** An immutable value class. */
  public static class Pair {
    public final Long left;
    public final List<String> right;

    public Pair(Long left, List<String> right) {
      this.left = left;
      this.right = right;
    }
  }

  /** Values of all types in and out. */
  public static class Values extends ScalarFunction {
    public @DataTypeHint("DECIMAL(10, 2)") BigDecimal eval(@DataTypeHint("DECIMAL(10, 2)") BigDecimal value) {
      return value == null ? null : value.add(new BigDecimal("0.005"));
    }

    public LocalDate eval(LocalDate date) {
      return date == null ? null : date.plusDays(1);
    }

    public @DataTypeHint("TIMESTAMP(3)") LocalDateTime eval(
        @DataTypeHint("TIMESTAMP(3)") LocalDateTime time) {
      return time == null ? null : time.plusSeconds(1);
    }

    public @DataTypeHint("TIMESTAMP_LTZ(3)") Instant eval(
        @DataTypeHint("TIMESTAMP_LTZ(3)") Instant time) {
      return time == null ? null : time.plusMillis(1);
    }

    public @DataTypeHint("TIME(0)") LocalTime eval(@DataTypeHint("TIME(0)") LocalTime time) {
      return time == null ? null : time.plusMinutes(1);
    }

    public byte[] eval(byte[] bytes) {
      return bytes == null ? null : java.util.Arrays.copyOf(bytes, bytes.length + 1);
    }

    public Boolean eval(Boolean flag) {
      return flag == null ? null : !flag;
    }

    public Double eval(Double number) {
      return number == null ? null : number * 2;
    }

    public Float eval(Float number) {
      return number == null ? null : number / 2;
    }

    public Long eval(Long number) {
      return number == null ? -1L : number + 1;
    }

    public Bitmap eval(Bitmap bitmap) {
      if (bitmap == null) return null;
      Bitmap more = Bitmap.from(bitmap);
      more.add(100);
      return more;
    }

    public Variant eval(Variant value) {
      return value == null ? null : value.getField("a");
    }

    public Short eval(Short number) {
      return number == null ? null : (short) (number + 1);
    }
  }

  /** Collections, rows, value classes. */
  public static class Nested extends ScalarFunction {
    public @DataTypeHint("ROW<n INT, words ARRAY<STRING>, counts MAP<STRING, INT>>") Row eval(
        Integer n, String[] words) {
      if (words == null) return null;
      Map<String, Integer> counts = new TreeMap<>();
      for (String word : words) counts.merge(word, 1, Integer::sum);
      return Row.of(n, words, counts);
    }

    public Point eval(Integer x, String label) {
      Point point = new Point();
      point.x = x;
      point.setLabel(label);
      return point;
    }

    public Pair eval(Point point) {
      return new Pair(point.x.longValue(), List.of("x", point.getLabel()));
    }

    public String eval(Pair pair) {
      return pair.left + "=" + pair.right;
    }

    public Integer eval(Map<String, Integer> counts) {
      return counts.values().stream().mapToInt(Integer::intValue).sum();
    }

    public int[] eval(int[] numbers) {
      int[] twice = new int[numbers.length];
      for (int i = 0; i < twice.length; i++) twice[i] = 2 * numbers[i];
      return twice;
    }

    public String eval(@DataTypeHint("ROW<a INT, b STRING>") Row row, String more) {
      return row.getField("b") + more + row.getField(0);
    }
  }

  /** Flink's internal classes, and bridged ones. */
  public static class Internal extends ScalarFunction {
    public @DataTypeHint(value = "STRING", bridgedTo = StringData.class) StringData eval(
        @DataTypeHint(value = "STRING", bridgedTo = StringData.class) StringData text,
        @DataTypeHint(value = "DATE", bridgedTo = Integer.class) Integer day) {
      return StringData.fromString(text + "@" + day);
    }

    public @DataTypeHint(value = "TIMESTAMP_LTZ(3)", bridgedTo = Long.class) Long eval(
        @DataTypeHint(value = "ROW<a INT, b STRING>", bridgedTo = RowData.class) RowData row) {
      return (long) row.getInt(0);
    }
  }

  /** Rows of two columns. */
  @FunctionHint(output = @DataTypeHint("ROW<word STRING, length INT>"))
  public static class Split extends TableFunction<Row> {
    public void eval(String text) {
      if (text == null) return;
      for (String word : text.split(" ")) if (!word.isEmpty()) collect(Row.of(word, word.length()));
    }
  }

  /** Single values, one of them null. */
  public static class Numbers extends TableFunction<Integer> {
    public void eval(Integer upTo) {
      for (int i = 0; upTo != null && i < upTo; i++) collect(i == 1 ? null : Integer.valueOf(i));
    }
  }

  /** A weighted average that retracts and merges. */
  public static class WeightedAverage
      extends AggregateFunction<Double, WeightedAverage.Accumulator> {
    /** Sum and weight. */
    public static class Accumulator {
      public long sum;
      public int weight;
    }

    @Override
    public Accumulator createAccumulator() {
      return new Accumulator();
    }

    @Override
    public Double getValue(Accumulator accumulator) {
      return accumulator.weight == 0 ? null : (double) accumulator.sum / accumulator.weight;
    }

    public void accumulate(Accumulator accumulator, Long value, Integer weight) {
      if (value == null || weight == null) return;
      accumulator.sum += value * weight;
      accumulator.weight += weight;
    }

    public void retract(Accumulator accumulator, Long value, Integer weight) {
      if (value == null || weight == null) return;
      accumulator.sum -= value * weight;
      accumulator.weight -= weight;
    }

    public void merge(Accumulator accumulator, Iterable<Accumulator> others) {
      for (Accumulator other : others) {
        accumulator.sum += other.sum;
        accumulator.weight += other.weight;
      }
    }
  }

  /** Distinct words in views. */
  public static class Words extends AggregateFunction<String, Words.Accumulator> {
    /** Counts by word, and the words in their order. */
    public static class Accumulator {
      public MapView<String, Integer> counts = new MapView<>();
      public ListView<String> order = new ListView<>();
      public @DataTypeHint("ARRAY<STRING>") List<String> last = new ArrayList<>();
    }

    @Override
    public Accumulator createAccumulator() {
      return new Accumulator();
    }

    public void accumulate(Accumulator accumulator, String word) throws Exception {
      if (word == null) return;
      Integer count = accumulator.counts.get(word);
      if (count == null) accumulator.order.add(word);
      accumulator.counts.put(word, count == null ? 1 : count + 1);
      accumulator.last = new ArrayList<>(List.of(word));
    }

    public void retract(Accumulator accumulator, String word) throws Exception {
      if (word == null) return;
      int count = accumulator.counts.get(word) - 1;
      if (count > 0) accumulator.counts.put(word, count);
      else {
        accumulator.counts.remove(word);
        accumulator.order.remove(word);
      }
    }

    @Override
    public String getValue(Accumulator accumulator) {
      StringBuilder all = new StringBuilder();
      try {
        for (String word : accumulator.order.get()) {
          all.append(word).append(accumulator.counts.get(word)).append(' ');
        }
      } catch (Exception error) {
        throw new IllegalStateException(error);
      }
      return all.append(accumulator.last).toString();
    }
  }

  /** A scalar function that fails once, and answers later. */
  public static class Later extends AsyncScalarFunction {
    private boolean failed;

    public void eval(CompletableFuture<String> result, String text) {
      if (!failed) {
        failed = true;
        throw new IllegalStateException("not yet");
      }
      new Thread(() -> result.complete(text + "~")).start();
    }
  }

  /** A table function that answers later. */
  public static class LaterRows extends AsyncTableFunction<String> {
    public void eval(CompletableFuture<Collection<String>> result, String text) {
      new Thread(() -> result.complete(List.of(text + "1", text + "2"))).start();
    }
  }

  /** A function that fails. */
  public static class Broken extends ScalarFunction {
    public String eval(String text) {
      throw new IllegalStateException("cannot read " + text);
    }
  }

  /** Signatures in hints of the class, and a superclass. */
  @FunctionHint(input = @DataTypeHint("INT"), output = @DataTypeHint("STRING"))
  @FunctionHint(
      input = {@DataTypeHint("STRING"), @DataTypeHint(bridgedTo = Integer.class)},
      argumentNames = {"text", "rest"},
      isVarArgs = true,
      output = @DataTypeHint("ARRAY<INT>"))
  public static class Hinted extends ScalarFunction {
    public Object eval(Object... values) {
      return null;
    }

    @Override
    public boolean isDeterministic() {
      return false;
    }
  }

  /** A method of its own, and one with a hint that replaces the one above. */
  public static class Derived extends Shout {
    @Override
    @FunctionHint(output = @DataTypeHint("CHAR(3)"))
    public String eval(Integer number) {
      return "abc";
    }

    public List<Map<String, int[]>> eval(
        @ArgumentHint(name = "point", type = @DataTypeHint("DECIMAL(5, 2)")) BigDecimal number) {
      return null;
    }
  }

  /** Types that only Flink infers. */
  public static class Inferred extends ScalarFunction {
    public String eval(Object value) {
      return "";
    }

    @Override
    public TypeInference getTypeInference(DataTypeFactory types) {
      return super.getTypeInference(types);
    }
  }

  /** A function over a table. */
  public static class Process extends ProcessTableFunction<String> {
    public void eval(@ArgumentHint(ArgumentTrait.ROW_SEMANTIC_TABLE) Row row) {
      collect("");
    }
  }

  /** The length of an interval. */
  public static class Length extends ScalarFunction {
    public Long eval(@DataTypeHint("INTERVAL SECOND(3)") Duration time) {
      return time == null ? null : time.toMillis();
    }
  }
}
