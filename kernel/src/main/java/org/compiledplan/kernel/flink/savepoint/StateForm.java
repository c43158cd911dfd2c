package org.compiledplan.kernel.flink.savepoint;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.base.ListSerializer;
import org.apache.flink.api.common.typeutils.base.MapSerializer;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.runtime.state.CompositeKeySerializationUtils;
import org.apache.flink.runtime.state.ListDelimitedSerializer;
import org.apache.flink.runtime.state.VoidNamespaceSerializer;
import org.apache.flink.runtime.state.metainfo.StateMetaInfoSnapshot;
import org.apache.flink.runtime.state.metainfo.StateMetaInfoSnapshot.BackendStateType;
import org.apache.flink.runtime.state.metainfo.StateMetaInfoSnapshot.CommonOptionsKeys;
import org.apache.flink.runtime.state.metainfo.StateMetaInfoSnapshot.CommonSerializerKeys;
import org.apache.flink.runtime.state.ttl.TtlStateFactory.TtlSerializer;
import org.apache.flink.runtime.state.ttl.TtlValue;
import org.apache.flink.streaming.api.operators.InternalTimer;
import org.apache.flink.streaming.api.operators.TimerSerializer;

/** A keyed state of one file, by its description in the head of that file. */
final class StateForm {
  /** The kinds of keyed state. */
  enum Kind {
    VALUE,
    LIST,
    MAP,
    TIMERS
  }

  private final String name;
  private final Kind kind;
  private final boolean ttl;
  private final TypeSerializer<Object> keySerializer;
  private final TypeSerializer<Object> namespaceSerializer;
  private final TypeSerializer<Object> userKeySerializer;
  private final TypeSerializer<Object> wholeSerializer;
  private final TypeSerializer<Object> elementSerializer;
  private final Form key;
  private final Form namespace;
  private final Form userKey;
  private final Form value;
  private final boolean ambiguous;
  private final DataInputDeserializer input = new DataInputDeserializer();

  StateForm(StateMetaInfoSnapshot snapshot, TypeSerializer<Object> keySerializer) throws Refusal {
    name = snapshot.getName();
    kind = kind(snapshot);
    wholeSerializer = serializer(snapshot, CommonSerializerKeys.VALUE_SERIALIZER);
    if (kind == Kind.TIMERS) {
      if (!(((TypeSerializer<?>) wholeSerializer) instanceof TimerSerializer<?, ?> timers)) {
        throw unknown("a queue of " + wholeSerializer.getClass().getName());
      }
      this.keySerializer = general(timers.getKeySerializer());
      namespaceSerializer = general(timers.getNamespaceSerializer());
    } else {
      this.keySerializer = keySerializer;
      namespaceSerializer = serializer(snapshot, CommonSerializerKeys.NAMESPACE_SERIALIZER);
    }
    TypeSerializer<?> element = wholeSerializer;
    TypeSerializer<?> mapKey = null;
    if (kind == Kind.MAP) {
      if (!(element instanceof MapSerializer<?, ?> map)) {
        throw unknown("a map of " + element.getClass().getName());
      }
      mapKey = map.getKeySerializer();
      element = map.getValueSerializer();
    } else if (kind == Kind.LIST) {
      if (!(element instanceof ListSerializer<?> list)) {
        throw unknown("a list of " + element.getClass().getName());
      }
      element = list.getElementSerializer();
    }
    elementSerializer = general(element);
    userKeySerializer = general(mapKey);
    ttl = element instanceof TtlSerializer<?>;
    TypeSerializer<?> bare =
        ttl ? ((TypeSerializer<?>[]) PrivateFields.get(element, "fieldSerializers"))[1] : element;
    key = Forms.of(this.keySerializer);
    namespace =
        ((TypeSerializer<?>) namespaceSerializer) instanceof VoidNamespaceSerializer
            ? null
            : Forms.of(namespaceSerializer);
    userKey = mapKey == null ? null : Forms.of(mapKey);
    value = kind == Kind.TIMERS ? null : Forms.of(bare);
    ambiguous =
        CompositeKeySerializationUtils.isAmbiguousKeyPossible(
            this.keySerializer, namespaceSerializer);
  }

  String name() {
    return name;
  }

  /** The state's part of the head. */
  ObjectNode describe() {
    ObjectNode node = JsonNodeFactory.instance.objectNode();
    node.put("name", name);
    node.put("kind", kind.name());
    node.set("key", key.type());
    node.set("namespace", namespace == null ? null : namespace.type());
    node.set("userKey", userKey == null ? null : userKey.type());
    node.set("value", value == null ? null : value.type());
    node.put("ttl", ttl);
    return node;
  }

  /** Decodes an entry of a canonical savepoint or of RocksDB. */
  void readEntry(int prefix, byte[] keyBytes, byte[] valueBytes, Entries entries)
      throws IOException {
    if (kind == Kind.TIMERS) {
      input.setBuffer(keyBytes, prefix, keyBytes.length - prefix);
      Object timer = wholeSerializer.deserialize(input);
      checkEnd();
      write((InternalTimer<?, ?>) timer, entries);
      return;
    }
    input.setBuffer(keyBytes, prefix, keyBytes.length - prefix);
    Object keyValue = CompositeKeySerializationUtils.readKey(keySerializer, input, ambiguous);
    Object namespaceValue =
        CompositeKeySerializationUtils.readNamespace(namespaceSerializer, input, ambiguous);
    Object userKeyValue = kind == Kind.MAP ? userKeySerializer.deserialize(input) : null;
    checkEnd();
    input.setBuffer(valueBytes);
    begin(keyValue, namespaceValue, entries);
    if (kind == Kind.LIST) {
      List<Object> elements = new ArrayList<>();
      while (input.available() > 0) {
        elements.add(ListDelimitedSerializer.deserializeNextElement(input, elementSerializer));
      }
      writeList(elements, entries);
    } else if (kind == Kind.MAP) {
      Object element = input.readBoolean() ? null : elementSerializer.deserialize(input);
      checkEnd();
      writeMapEntry(userKeyValue, element, entries);
    } else {
      writeValue(elementSerializer.deserialize(input), entries);
      checkEnd();
    }
    entries.end();
  }

  /** Decodes an entry, or a timer, of the heap's own form. */
  void readHeapEntry(DataInputView in, Entries entries) throws IOException {
    if (kind == Kind.TIMERS) {
      write((InternalTimer<?, ?>) (Object) wholeSerializer.deserialize(in), entries);
      return;
    }
    Object namespaceValue = namespaceSerializer.deserialize(in);
    Object keyValue = keySerializer.deserialize(in);
    Object whole = wholeSerializer.deserialize(in);
    if (kind == Kind.MAP) {
      for (Map.Entry<?, ?> entry : ((Map<?, ?>) whole).entrySet()) {
        begin(keyValue, namespaceValue, entries);
        writeMapEntry(entry.getKey(), entry.getValue(), entries);
        entries.end();
      }
      return;
    }
    begin(keyValue, namespaceValue, entries);
    if (kind == Kind.LIST) {
      writeList((List<?>) whole, entries);
    } else {
      writeValue(whole, entries);
    }
    entries.end();
  }

  /** Decodes a timer of raw keyed state. */
  void readRawTimer(DataInputView in, Entries entries) throws IOException {
    Object keyValue = keySerializer.deserialize(in);
    begin(keyValue, namespaceSerializer.deserialize(in), entries);
    entries.number("timer", in.readLong());
    entries.end();
  }

  private void begin(Object keyValue, Object namespaceValue, Entries entries) throws IOException {
    entries.begin(name);
    entries.field("key", key, keyValue);
    if (namespace != null) {
      entries.field("ns", namespace, namespaceValue);
    }
  }

  private void write(InternalTimer<?, ?> timer, Entries entries) throws IOException {
    begin(timer.getKey(), timer.getNamespace(), entries);
    entries.number("timer", timer.getTimestamp());
    entries.end();
  }

  private void writeMapEntry(Object userKeyValue, Object element, Entries entries)
      throws IOException {
    entries.field("uk", userKey, userKeyValue);
    writeValue(element, entries);
  }

  private void writeValue(Object element, Entries entries) throws IOException {
    Object bare = element;
    if (element instanceof TtlValue<?> timed) {
      bare = timed.getUserValue();
      entries.number("written", timed.getLastAccessTimestamp());
    }
    entries.field("value", value, bare);
    entries.kind(bare);
  }

  private void writeList(List<?> elements, Entries entries) throws IOException {
    entries.list("value", value, elements.stream().map(StateForm::bare).toList());
    if (ttl) {
      entries.numbers(
          "writtenEach",
          elements.stream().mapToLong(item -> ((TtlValue<?>) item).getLastAccessTimestamp()));
    }
  }

  private static Object bare(Object element) {
    return element instanceof TtlValue<?> timed ? timed.getUserValue() : element;
  }

  private void checkEnd() throws IOException {
    if (input.available() > 0) {
      throw new IOException(
          "an entry of state " + name + " has " + input.available() + " bytes too many");
    }
  }

  private static Kind kind(StateMetaInfoSnapshot snapshot) throws Refusal {
    BackendStateType type = snapshot.getBackendStateType();
    if (type == BackendStateType.PRIORITY_QUEUE) {
      return Kind.TIMERS;
    }
    if (type != BackendStateType.KEY_VALUE) {
      throw new Refusal(
          "state '" + snapshot.getName() + "' is of type " + type + ", which is not supported",
          "",
          "take a savepoint in the canonical format: `flink savepoint --type canonical`");
    }
    String kind = snapshot.getOption(CommonOptionsKeys.KEYED_STATE_TYPE);
    switch (kind == null ? "" : kind) {
      case "LIST":
        return Kind.LIST;
      case "MAP":
        return Kind.MAP;
      case "VALUE":
      case "REDUCING":
      case "AGGREGATING":
        return Kind.VALUE;
      default:
        throw new Refusal(
            "state '" + snapshot.getName() + "' is of kind " + kind + ", which is not supported",
            "",
            "take a savepoint with Flink 2.x: older ones do not name the kind of a state");
    }
  }

  private Refusal unknown(String content) {
    return new Refusal(
        "state '" + name + "' is " + content + ", which is not supported",
        "",
        "start this operator without its state");
  }

  private static TypeSerializer<Object> serializer(
      StateMetaInfoSnapshot snapshot, CommonSerializerKeys key) {
    TypeSerializerSnapshot<?> serializer = snapshot.getTypeSerializerSnapshot(key);
    return general(Snapshots.prepared(serializer));
  }

  @SuppressWarnings("unchecked")
  static TypeSerializer<Object> general(TypeSerializer<?> serializer) {
    return (TypeSerializer<Object>) serializer;
  }
}
