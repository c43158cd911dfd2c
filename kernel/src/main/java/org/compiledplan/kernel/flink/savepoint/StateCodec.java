package org.compiledplan.kernel.flink.savepoint;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.api.common.state.StateDescriptor;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.base.ListSerializer;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.apache.flink.api.common.typeutils.base.MapSerializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.runtime.state.CompositeKeySerializationUtils;
import org.apache.flink.runtime.state.ListDelimitedSerializer;
import org.apache.flink.runtime.state.RegisteredKeyValueStateBackendMetaInfo;
import org.apache.flink.runtime.state.VoidNamespace;
import org.apache.flink.runtime.state.VoidNamespaceSerializer;
import org.apache.flink.runtime.state.metainfo.StateMetaInfoSnapshot;
import org.apache.flink.runtime.state.ttl.TtlStateFactory.TtlSerializer;
import org.apache.flink.runtime.state.ttl.TtlValue;
import org.apache.flink.types.RowKind;

/** A keyed state without namespace to write, by its description in the head. */
final class StateCodec {
  private final String name;
  private final short number;
  private final StateForm.Kind kind;
  private final boolean ttl;
  private final Codec userKey;
  private final Codec value;
  private final TypeSerializer<Object> element;

  StateCodec(JsonNode described, short number) throws IOException {
    name = described.get("name").asText();
    this.number = number;
    kind = StateForm.Kind.valueOf(described.get("kind").asText());
    if (kind == StateForm.Kind.TIMERS || described.hasNonNull("namespace")) {
      throw new Refusal(
          "state '" + name + "' has timers or windows, which are not written", "", "");
    }
    ttl = described.get("ttl").asBoolean();
    userKey = kind == StateForm.Kind.MAP ? Codecs.of(described.get("userKey")) : null;
    value = Codecs.of(described.get("value"));
    element =
        ttl
            ? StateForm.general(new TtlSerializer<>(LongSerializer.INSTANCE, value.serializer()))
            : value.serializer();
  }

  String name() {
    return name;
  }

  short number() {
    return number;
  }

  /** The description of the state in the head of Flink's file. */
  StateMetaInfoSnapshot snapshot() {
    return switch (kind) {
      case VALUE -> snapshot(StateDescriptor.Type.VALUE, element);
      case LIST -> snapshot(StateDescriptor.Type.LIST, new ListSerializer<>(element));
      default ->
          snapshot(StateDescriptor.Type.MAP, new MapSerializer<>(userKey.serializer(), element));
    };
  }

  private <T> StateMetaInfoSnapshot snapshot(
      StateDescriptor.Type type, TypeSerializer<T> serializer) {
    return new RegisteredKeyValueStateBackendMetaInfo<>(
            type, name, VoidNamespaceSerializer.INSTANCE, serializer)
        .snapshot();
  }

  /** Writes the key of an entry behind its key group. */
  void writeKey(
      Object key, TypeSerializer<Object> serializer, JsonNode line, DataOutputSerializer output)
      throws IOException {
    boolean ambiguous =
        CompositeKeySerializationUtils.isAmbiguousKeyPossible(
            serializer, VoidNamespaceSerializer.INSTANCE);
    CompositeKeySerializationUtils.writeKey(key, serializer, output, ambiguous);
    CompositeKeySerializationUtils.writeNameSpace(
        VoidNamespace.INSTANCE, VoidNamespaceSerializer.INSTANCE, output, ambiguous);
    if (userKey != null) userKey.serializer().serialize(userKey.read(line.get("uk")), output);
  }

  void writeValue(JsonNode line, DataOutputSerializer output) throws IOException {
    JsonNode content = line.get("value");
    if (kind == StateForm.Kind.LIST) {
      List<Object> elements = new ArrayList<>();
      for (int at = 0; at < content.size(); at++) {
        elements.add(
            timed(value.read(content.get(at)), line.path("writtenEach").path(at).asLong()));
      }
      output.write(new ListDelimitedSerializer().serializeList(elements, element));
      return;
    }
    Object item = value.read(content);
    if (line.has("kind")) Codecs.kind(item, kind(line.get("kind").asText()));
    item = timed(item, line.path("written").asLong());
    if (kind == StateForm.Kind.MAP) output.writeBoolean(item == null);
    if (item != null || kind == StateForm.Kind.VALUE) element.serialize(item, output);
  }

  private Object timed(Object item, long written) {
    return ttl ? new TtlValue<>(item, written) : item;
  }

  private static RowKind kind(String text) throws IOException {
    for (RowKind kind : RowKind.values()) if (kind.shortString().equals(text)) return kind;
    throw new IOException("a row is of the unknown kind " + text);
  }
}
