package org.compiledplan.kernel.flink.savepoint;

import static java.nio.file.StandardOpenOption.APPEND;
import static java.nio.file.StandardOpenOption.CREATE;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.Closeable;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.core.fs.CloseableRegistry;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.runtime.checkpoint.SavepointType;
import org.apache.flink.runtime.state.CheckpointStreamFactory;
import org.apache.flink.runtime.state.CheckpointStreamWithResultProvider;
import org.apache.flink.runtime.state.CheckpointedStateScope;
import org.apache.flink.runtime.state.CompositeKeySerializationUtils;
import org.apache.flink.runtime.state.FullSnapshotAsyncWriter;
import org.apache.flink.runtime.state.FullSnapshotResources;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.apache.flink.runtime.state.KeyValueStateIterator;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.StreamCompressionDecorator;
import org.apache.flink.runtime.state.UncompressedStreamCompressionDecorator;
import org.apache.flink.runtime.state.metainfo.StateMetaInfoSnapshot;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.runtime.typeutils.RowDataSerializer;

/**
 * Writes the keyed state of an operator in the canonical format: its entries go to a file per key
 * group first, so that memory holds one key group at a time.
 */
final class KeyedWriter implements Closeable {
  /** An entry in Flink's bytes. */
  private record Entry(short state, byte[] key, byte[] value) {}

  private static final int MAX_OPEN = 256;

  private final List<StateCodec> states = new ArrayList<>();
  private final Map<String, StateCodec> byName = new HashMap<>();
  private final Codec key;
  private final int maxParallelism;
  private final Path scratch;
  private final SortedSet<Integer> groups = new TreeSet<>();
  private final Map<Integer, DataOutputStream> open = new LinkedHashMap<>(16, 0.75f, true);
  private final DataOutputSerializer output = new DataOutputSerializer(256);

  /**
   * @param described the operator's states in the head; all have the same key
   * @param scratch a new folder, which the caller removes
   */
  KeyedWriter(JsonNode described, int maxParallelism, Path scratch) throws IOException {
    this.maxParallelism = maxParallelism;
    this.scratch = Files.createDirectories(scratch);
    key = Codecs.of(described.get(0).get("key"));
    for (JsonNode state : described) {
      StateCodec codec = new StateCodec(state, (short) states.size());
      states.add(codec);
      byName.put(codec.name(), codec);
    }
  }

  /** Adds an entry of the neutral form. */
  void add(JsonNode line) throws IOException {
    StateCodec state = byName.get(line.path("state").asText());
    if (state == null) throw new IOException("an entry belongs to a state that is not declared");
    Object keyValue = key.read(line.get("key"));
    int group = KeyGroupRangeAssignment.assignToKeyGroup(hashed(keyValue), maxParallelism);
    output.clear();
    CompositeKeySerializationUtils.writeKeyGroup(group, prefix(), output);
    state.writeKey(keyValue, key.serializer(), line, output);
    byte[] keyBytes = output.getCopyOfBuffer();
    output.clear();
    state.writeValue(line, output);
    DataOutputStream to = group(group);
    to.writeShort(state.number());
    to.writeInt(keyBytes.length);
    to.write(keyBytes);
    to.writeInt(output.length());
    to.write(output.getSharedBuffer(), 0, output.length());
  }

  /** The key as Flink hashes it: a row in its binary form. */
  private Object hashed(Object keyValue) {
    TypeSerializer<?> serializer = key.serializer();
    return serializer instanceof RowDataSerializer rows
        ? rows.toBinaryRow((RowData) keyValue)
        : keyValue;
  }

  private int prefix() {
    return CompositeKeySerializationUtils.computeRequiredBytesInKeyGroupPrefix(maxParallelism);
  }

  /** The open file of a key group; processes may open a limited number of files. */
  private DataOutputStream group(int group) throws IOException {
    DataOutputStream to = open.get(group);
    if (to == null) {
      if (open.size() == MAX_OPEN) {
        Iterator<DataOutputStream> eldest = open.values().iterator();
        eldest.next().close();
        eldest.remove();
      }
      OutputStream file = Files.newOutputStream(file(group), CREATE, APPEND);
      to = new DataOutputStream(new BufferedOutputStream(file));
      open.put(group, to);
      groups.add(group);
    }
    return to;
  }

  private Path file(int group) {
    return scratch.resolve("group-" + group);
  }

  /** Writes all entries; null if there are none. */
  KeyedStateHandle write(CheckpointStreamFactory streams) throws Exception {
    close();
    if (groups.isEmpty()) return null;
    var writer =
        new FullSnapshotAsyncWriter<Object>(
            SavepointType.savepoint(SavepointFormatType.CANONICAL),
            () ->
                CheckpointStreamWithResultProvider.createSimpleStream(
                    CheckpointedStateScope.EXCLUSIVE, streams),
            new Resources());
    return writer.get(new CloseableRegistry()).getJobManagerOwnedSnapshot();
  }

  @Override
  public void close() throws IOException {
    for (DataOutputStream group : open.values()) group.close();
  }

  /** The content of the file, as Flink's writer asks for it. */
  private final class Resources implements FullSnapshotResources<Object> {
    @Override
    public List<StateMetaInfoSnapshot> getMetaInfoSnapshots() {
      return states.stream().map(StateCodec::snapshot).toList();
    }

    @Override
    public KeyValueStateIterator createKVStateIterator() throws IOException {
      return new Sorted(new ArrayList<>(groups));
    }

    @Override
    public KeyGroupRange getKeyGroupRange() {
      return new KeyGroupRange(0, maxParallelism - 1);
    }

    @Override
    public TypeSerializer<Object> getKeySerializer() {
      return key.serializer();
    }

    @Override
    public StreamCompressionDecorator getStreamCompressionDecorator() {
      return UncompressedStreamCompressionDecorator.INSTANCE;
    }

    @Override
    public void release() {}
  }

  /** The entries by key group and state. */
  private final class Sorted implements KeyValueStateIterator {
    private final List<Integer> left;
    private List<Entry> entries = List.of();
    private int at;
    private int group;
    private boolean isNewGroup;
    private boolean isNewState;

    Sorted(List<Integer> groups) throws IOException {
      left = groups;
      load();
      isNewGroup = false;
      isNewState = false;
    }

    private void load() throws IOException {
      at = 0;
      isNewGroup = true;
      isNewState = true;
      entries = List.of();
      if (left.isEmpty()) return;
      group = left.remove(0);
      entries = entriesOf(group);
    }

    @Override
    public void next() throws IOException {
      short last = entries.get(at).state();
      at++;
      isNewGroup = false;
      isNewState = false;
      if (at == entries.size()) {
        load();
      } else {
        isNewState = entries.get(at).state() != last;
      }
    }

    @Override
    public int keyGroup() {
      return group;
    }

    @Override
    public byte[] key() {
      return entries.get(at).key();
    }

    @Override
    public byte[] value() {
      return entries.get(at).value();
    }

    @Override
    public int kvStateId() {
      return entries.get(at).state();
    }

    @Override
    public boolean isNewKeyValueState() {
      return isNewState;
    }

    @Override
    public boolean isNewKeyGroup() {
      return isNewGroup;
    }

    @Override
    public boolean isValid() {
      return at < entries.size();
    }

    @Override
    public void close() {}
  }

  private List<Entry> entriesOf(int group) throws IOException {
    List<Entry> entries = new ArrayList<>();
    try (DataInputStream in =
        new DataInputStream(new BufferedInputStream(Files.newInputStream(file(group))))) {
      while (true) {
        short state;
        try {
          state = in.readShort();
        } catch (EOFException end) {
          break;
        }
        byte[] keyBytes = in.readNBytes(in.readInt());
        entries.add(new Entry(state, keyBytes, in.readNBytes(in.readInt())));
      }
    }
    entries.sort(Comparator.comparingInt(Entry::state));
    return entries;
  }
}
