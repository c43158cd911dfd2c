package org.compiledplan.kernel.flink.savepoint;

import java.io.IOException;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.core.fs.FSDataInputStream;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataInputViewStreamWrapper;
import org.apache.flink.runtime.state.KeyGroupsStateHandle;
import org.apache.flink.runtime.state.RegisteredPriorityQueueStateBackendMetaInfo;
import org.apache.flink.streaming.api.operators.TimerSerializer;

/**
 * Timers of a subtask in raw keyed state: RocksDB with timers on the heap stores them so in
 * checkpoints. A key group has, after a mark and a version, the number of its timer services, and
 * of each its name, the serializers of key and namespace, and the timers in event time and in
 * processing time.
 */
final class RawTimers {
  /** The four bytes before a version. */
  private static final int MARK = 0xF1CD859F;

  private static final int VERSION = 2;
  private static final long NO_OFFSET = -1;
  private static final String[] DOMAINS = {"event", "processing"};

  private final KeyGroupsStateHandle handle;
  private final Savepoint savepoint;
  private final Trust trust;
  private final Map<String, StateForm> states = new LinkedHashMap<>();

  RawTimers(KeyGroupsStateHandle handle, Savepoint savepoint, Trust trust) {
    this.handle = handle;
    this.savepoint = savepoint;
    this.trust = trust;
  }

  /** The timers as states, after {@link #read}. */
  Collection<StateForm> states() {
    return states.values();
  }

  /** Writes all timers. */
  void read(Entries entries) throws IOException {
    try (FSDataInputStream in = savepoint.file(handle.getDelegateStateHandle()).openInputStream()) {
      for (Tuple2<Integer, Long> group : handle.getGroupRangeOffsets()) {
        if (group.f1 != NO_OFFSET) {
          in.seek(group.f1);
          readGroup(new DataInputViewStreamWrapper(in), entries);
        }
      }
    }
  }

  private void readGroup(DataInputView view, Entries entries) throws IOException {
    if (view.readInt() != MARK || view.readInt() != VERSION) {
      throw new Refusal(
          "the checkpoint holds keyed state in Flink's raw form that is no timers of Flink 2.x",
          "",
          "take a savepoint in the canonical format: `flink savepoint --type canonical`");
    }
    for (int services = view.readInt(); services > 0; services--) {
      String name = view.readUTF();
      TypeSerializer<Object> key = serializer(view);
      TypeSerializer<Object> namespace = serializer(view);
      for (String domain : DOMAINS) {
        StateForm state = state("_timer_state/" + domain + "_" + name, key, namespace);
        for (int timers = view.readInt(); timers > 0; timers--) {
          state.readRawTimer(view, entries);
        }
      }
    }
  }

  private TypeSerializer<Object> serializer(DataInputView view) throws IOException {
    return Snapshots.prepared(TypeSerializerSnapshot.readVersionedSnapshot(view, trust));
  }

  private StateForm state(String name, TypeSerializer<Object> key, TypeSerializer<Object> namespace)
      throws Refusal {
    StateForm state = states.get(name);
    if (state == null) {
      TimerSerializer<Object, Object> timers = new TimerSerializer<>(key, namespace);
      var queue = new RegisteredPriorityQueueStateBackendMetaInfo<>(name, timers);
      state = new StateForm(queue.snapshot(), key);
      states.put(name, state);
    }
    return state;
  }
}
