package org.compiledplan.kernel.aggregates;

import com.fasterxml.jackson.core.io.JsonStringEncoder;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.compiledplan.kernel.state.serialization.Fields;
import org.compiledplan.kernel.state.serialization.Stored;
import org.compiledplan.kernel.values.ValueType;

/**
 * JSON_OBJECTAGG and JSON_ARRAYAGG. The values are JSON texts already: the plan wraps the arguments
 * in JSON_STRING (Flink's JsonObjectAggFunction, JsonArrayAggFunction).
 */
final class JsonAccumulators {
  private static final ValueType TEXT = ValueType.of(ValueType.Kind.STRING);

  private JsonAccumulators() {}

  /**
   * Key and value of each row as the members of an object, sorted by key; a later value of a key
   * replaces the earlier.
   */
  static final class ObjectAgg implements Accumulator {
    private final int[] args;
    private final boolean keepNulls;
    private final Map<String, String> members = new TreeMap<>();

    ObjectAgg(AggregateCall call, boolean keepNulls) {
      this.args = call.args();
      this.keepNulls = keepNulls;
    }

    @Override
    public void add(Object[] row) {
      if (row[args[0]] == null) throw new IllegalStateException("JSON_OBJECTAGG got a null key");
      String value = (String) row[args[1]];
      if (value != null) members.put((String) row[args[0]], value);
      else if (keepNulls) members.put((String) row[args[0]], "null");
    }

    @Override
    public void retract(Object[] row) {
      members.remove((String) row[args[0]]);
    }

    @Override
    public void merge(Accumulator source) {
      members.putAll(((ObjectAgg) source).members);
    }

    @Override
    public Object value() {
      StringBuilder text = new StringBuilder("{");
      for (Map.Entry<String, String> member : members.entrySet()) {
        if (text.length() > 1) text.append(',');
        text.append('"');
        text.append(JsonStringEncoder.getInstance().quoteAsString(member.getKey()));
        text.append("\":").append(member.getValue());
      }
      return text.append('}').toString();
    }

    @Override
    public AccumulatorForm form() {
      return AccumulatorForm.JSON_OBJECT;
    }

    @Override
    public void fields(Fields io) {
      List<Member> all = new ArrayList<>();
      members.forEach((key, value) -> all.add(new Member(key, value)));
      io.list("members", all, Member::new, member -> members.put(member.key, member.value));
    }
  }

  private static final class Member implements Stored {
    private String key;
    private String value;

    Member() {}

    Member(String key, String value) {
      this.key = key;
      this.value = value;
    }

    @Override
    public void fields(Fields io) {
      key = (String) io.value("key", TEXT, key);
      value = (String) io.value("value", TEXT, value);
    }
  }

  /** The value of each row as an element of an array, in arrival order. */
  static final class ArrayAgg extends BagAccumulator {
    ArrayAgg(AggregateCall call, boolean keepNulls) {
      super(call, keepNulls);
    }

    @Override
    public Object value() {
      StringBuilder text = new StringBuilder("[");
      for (Object value : bag.values) {
        if (text.length() > 1) text.append(',');
        text.append(value);
      }
      return text.append(']').toString();
    }

    @Override
    public AccumulatorForm form() {
      return AccumulatorForm.JSON_ARRAY;
    }
  }
}
