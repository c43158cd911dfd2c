package org.compiledplan.kernel.flink.savepoint;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.util.TokenBuffer;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.core.fs.FSDataInputStream;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataInputViewStreamWrapper;
import org.apache.flink.runtime.state.CompressibleFSDataInputStream;
import org.apache.flink.runtime.state.OperatorBackendSerializationProxy;
import org.apache.flink.runtime.state.OperatorStateHandle;
import org.apache.flink.runtime.state.OperatorStateHandle.StateMetaInfo;
import org.apache.flink.runtime.state.OperatorStreamStateHandle;
import org.apache.flink.runtime.state.SnappyStreamCompressionDecorator;
import org.apache.flink.runtime.state.StreamCompressionDecorator;
import org.apache.flink.runtime.state.UncompressedStreamCompressionDecorator;
import org.apache.flink.runtime.state.metainfo.StateMetaInfoSnapshot;
import org.apache.flink.runtime.state.metainfo.StateMetaInfoSnapshot.BackendStateType;
import org.apache.flink.runtime.state.metainfo.StateMetaInfoSnapshot.CommonSerializerKeys;

/** The operator state of an operator: lists, and broadcast maps as lists of pairs. */
final class OperatorLists {
  private static final ObjectMapper MAPPER = new ObjectMapper();

  private final Savepoint savepoint;
  private final Trust trust;
  private final Map<String, ObjectNode> lists = new TreeMap<>();

  OperatorLists(Savepoint savepoint, Trust trust) {
    this.savepoint = savepoint;
    this.trust = trust;
  }

  /** The lists by name, each with the elements of all subtasks. */
  ArrayNode describe() {
    ArrayNode all = JsonNodeFactory.instance.arrayNode();
    lists.values().forEach(all::add);
    return all;
  }

  /** Adds the elements of a subtask. */
  void read(OperatorStateHandle handle) throws IOException {
    if (!(handle instanceof OperatorStreamStateHandle)
        || handle.getClass() != OperatorStreamStateHandle.class) {
      throw Savepoint.unsupported(handle);
    }
    Map<String, StateMetaInfo> offsets = handle.getStateNameToPartitionOffsets();
    OperatorBackendSerializationProxy head = new OperatorBackendSerializationProxy(trust);
    try (FSDataInputStream in = savepoint.file(handle.getDelegateStateHandle()).openInputStream()) {
      head.read(new DataInputViewStreamWrapper(in));
      StreamCompressionDecorator decorator =
          (Boolean) PrivateFields.get(head, "usingStateCompression")
              ? SnappyStreamCompressionDecorator.INSTANCE
              : UncompressedStreamCompressionDecorator.INSTANCE;
      try (CompressibleFSDataInputStream content =
          new CompressibleFSDataInputStream(in, decorator)) {
        List<StateMetaInfoSnapshot> states =
            Stream.concat(
                    head.getOperatorStateMetaInfoSnapshots().stream(),
                    head.getBroadcastStateMetaInfoSnapshots().stream())
                .toList();
        for (StateMetaInfoSnapshot state : states) {
          StateMetaInfo place = offsets.get(state.getName());
          if (place != null) {
            add(state, place, content);
          }
        }
      }
    }
  }

  private void add(StateMetaInfoSnapshot state, StateMetaInfo place, FSDataInputStream in)
      throws IOException {
    TypeSerializer<Object> values = serializer(state, CommonSerializerKeys.VALUE_SERIALIZER);
    Form form = Forms.of(values);
    DataInputView view = new DataInputViewStreamWrapper(in);
    TokenBuffer elements = new TokenBuffer(MAPPER, false);
    elements.writeStartArray();
    JsonNode type = form.type();
    if (state.getBackendStateType() == BackendStateType.BROADCAST) {
      TypeSerializer<Object> keys = serializer(state, CommonSerializerKeys.KEY_SERIALIZER);
      Form keyForm = Forms.of(keys);
      type = Forms.pair(keyForm, form).type();
      in.seek(place.getOffsets()[0]);
      for (int left = view.readInt(); left > 0; left--) {
        elements.writeStartArray();
        keyForm.write(keys.deserialize(view), elements);
        form.write(values.deserialize(view), elements);
        elements.writeEndArray();
      }
    } else {
      long position = in.getPos();
      for (long offset : place.getOffsets()) {
        if (offset != position) {
          in.seek(offset);
        }
        form.write(values.deserialize(view), elements);
        position = in.getPos();
      }
    }
    elements.writeEndArray();
    ObjectNode list = lists.computeIfAbsent(state.getName(), name -> begun(name, place));
    if (list.has("type") && !list.get("type").equals(type)) {
      throw new Refusal(
          "list '" + state.getName() + "' has another type in each subtask",
          "",
          "take the savepoint again");
    }
    list.set("type", type);
    ((ArrayNode) list.withArray("elements")).add((JsonNode) MAPPER.readTree(elements.asParser()));
  }

  private static ObjectNode begun(String name, StateMetaInfo place) {
    ObjectNode node = JsonNodeFactory.instance.objectNode();
    node.put("name", name);
    node.put("mode", place.getDistributionMode().name());
    return node;
  }

  private static TypeSerializer<Object> serializer(
      StateMetaInfoSnapshot state, CommonSerializerKeys key) {
    return StateForm.general(Snapshots.prepared(state.getTypeSerializerSnapshot(key)));
  }
}
