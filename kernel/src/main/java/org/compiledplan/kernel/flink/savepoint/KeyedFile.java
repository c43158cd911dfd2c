package org.compiledplan.kernel.flink.savepoint;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.core.fs.FSDataInputStream;
import org.apache.flink.core.memory.DataInputViewStreamWrapper;
import org.apache.flink.runtime.state.CompositeKeySerializationUtils;
import org.apache.flink.runtime.state.IncrementalKeyedStateHandle.HandleAndLocalPath;
import org.apache.flink.runtime.state.IncrementalRemoteKeyedStateHandle;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyGroupsSavepointStateHandle;
import org.apache.flink.runtime.state.KeyGroupsStateHandle;
import org.apache.flink.runtime.state.KeyedBackendSerializationProxy;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.SnappyStreamCompressionDecorator;
import org.apache.flink.runtime.state.StateSerializerProvider;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.runtime.state.metainfo.StateMetaInfoSnapshot;
import org.apache.flink.runtime.state.restore.FullSnapshotRestoreOperation;
import org.apache.flink.runtime.state.restore.KeyGroup;
import org.apache.flink.runtime.state.restore.KeyGroupEntry;
import org.apache.flink.runtime.state.restore.SavepointRestoreResult;
import org.apache.flink.runtime.state.restore.ThrowingIterator;
import org.rocksdb.ColumnFamilyDescriptor;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.ColumnFamilyOptions;
import org.rocksdb.DBOptions;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;

/** The keyed state of a subtask: its head, and its entries in one of three forms. */
final class KeyedFile {
  private final KeyedStateHandle handle;
  private final Savepoint savepoint;
  private final Trust trust;
  private final int maxParallelism;
  private final TypeSerializer<Object> keySerializer;
  private final boolean compressed;
  private final List<StateForm> states = new ArrayList<>();

  KeyedFile(KeyedStateHandle handle, int maxParallelism, Savepoint savepoint, Trust trust)
      throws IOException {
    this.handle = handle;
    this.savepoint = savepoint;
    this.trust = trust;
    this.maxParallelism = maxParallelism;
    KeyedBackendSerializationProxy<Object> head = new KeyedBackendSerializationProxy<>(trust);
    try (InputStream in = savepoint.file(headHandle()).openInputStream()) {
      head.read(new DataInputViewStreamWrapper(in));
    }
    keySerializer = Snapshots.prepared(head.getKeySerializerSnapshot());
    compressed = head.isUsingKeyGroupCompression();
    for (StateMetaInfoSnapshot state : head.getStateMetaInfoSnapshots()) {
      states.add(new StateForm(state, keySerializer));
    }
  }

  List<StateForm> states() {
    return states;
  }

  /** Writes all entries; `scratch` is a new folder for the files of a database. */
  void read(Path scratch, Entries entries) throws Exception {
    if (handle instanceof KeyGroupsSavepointStateHandle canonical) {
      readCanonical(canonical, entries);
    } else if (handle instanceof KeyGroupsStateHandle heap) {
      readHeap(heap, entries);
    } else {
      readRocks((IncrementalRemoteKeyedStateHandle) handle, scratch, entries);
    }
  }

  private StreamStateHandle headHandle() throws Refusal {
    if (handle instanceof KeyGroupsStateHandle groups) {
      return groups.getDelegateStateHandle();
    }
    if (handle instanceof IncrementalRemoteKeyedStateHandle incremental) {
      return incremental.getMetaDataStateHandle();
    }
    throw Savepoint.unsupported(handle);
  }

  private void readCanonical(KeyGroupsSavepointStateHandle canonical, Entries entries)
      throws Exception {
    int prefix = prefix();
    KeyGroupsSavepointStateHandle checked =
        new KeyGroupsSavepointStateHandle(
            canonical.getGroupRangeOffsets(), savepoint.file(canonical.getDelegateStateHandle()));
    var operation =
        new FullSnapshotRestoreOperation<>(
            canonical.getKeyGroupRange(),
            trust,
            List.of(checked),
            StateSerializerProvider.fromNewRegisteredSerializer(keySerializer));
    try (ThrowingIterator<SavepointRestoreResult> results = operation.restore()) {
      while (results.hasNext()) {
        try (ThrowingIterator<KeyGroup> groups = results.next().getRestoredKeyGroups()) {
          while (groups.hasNext()) {
            readGroup(groups.next(), prefix, entries);
          }
        }
      }
    }
  }

  private void readGroup(KeyGroup group, int prefix, Entries entries) throws Exception {
    try (ThrowingIterator<KeyGroupEntry> found = group.getKeyGroupEntries()) {
      while (found.hasNext()) {
        KeyGroupEntry entry = found.next();
        state(entry.getKvStateId()).readEntry(prefix, entry.getKey(), entry.getValue(), entries);
      }
    }
  }

  private void readHeap(KeyGroupsStateHandle heap, Entries entries) throws IOException {
    try (FSDataInputStream in = savepoint.file(heap.getDelegateStateHandle()).openInputStream()) {
      for (Tuple2<Integer, Long> group : heap.getGroupRangeOffsets()) {
        in.seek(group.f1);
        int number = new DataInputViewStreamWrapper(in).readInt();
        if (number != group.f0) {
          throw new IOException("key group " + number + " is where " + group.f0 + " should be");
        }
        InputStream content =
            compressed ? SnappyStreamCompressionDecorator.INSTANCE.decorateWithCompression(in) : in;
        DataInputViewStreamWrapper view = new DataInputViewStreamWrapper(content);
        for (int at = 0; at < states.size(); at++) {
          StateForm state = state(view.readShort());
          for (int left = view.readInt(); left > 0; left--) {
            state.readHeapEntry(view, entries);
          }
        }
      }
    }
  }

  private void readRocks(IncrementalRemoteKeyedStateHandle rocks, Path scratch, Entries entries)
      throws Exception {
    Files.createDirectory(scratch);
    for (HandleAndLocalPath file : rocks.getSharedState()) {
      place(file, scratch);
    }
    for (HandleAndLocalPath file : rocks.getPrivateState()) {
      place(file, scratch);
    }
    RocksDB.loadLibrary();
    List<ColumnFamilyDescriptor> descriptors = new ArrayList<>();
    List<ColumnFamilyHandle> families = new ArrayList<>();
    try (ColumnFamilyOptions options =
            new ColumnFamilyOptions().setMergeOperatorName("stringappendtest");
        DBOptions database = new DBOptions();
        org.rocksdb.Options listing = new org.rocksdb.Options()) {
      for (byte[] name : RocksDB.listColumnFamilies(listing, scratch.toString())) {
        descriptors.add(new ColumnFamilyDescriptor(name, options));
      }
      try (RocksDB db = RocksDB.openReadOnly(database, scratch.toString(), descriptors, families)) {
        for (ColumnFamilyHandle family : families) {
          readFamily(db, family, rocks.getKeyGroupRange(), entries);
        }
        families.forEach(ColumnFamilyHandle::close);
      }
    }
  }

  private void readFamily(
      RocksDB db, ColumnFamilyHandle family, KeyGroupRange range, Entries entries)
      throws IOException, RocksDBException {
    String name = new String(family.getName(), java.nio.charset.StandardCharsets.UTF_8);
    StateForm state =
        states.stream().filter(form -> form.name().equals(name)).findFirst().orElse(null);
    int prefix = prefix();
    try (ReadOptions options = new ReadOptions().setVerifyChecksums(true);
        RocksIterator iterator = db.newIterator(family, options)) {
      for (iterator.seekToFirst(); iterator.isValid(); iterator.next()) {
        byte[] key = iterator.key();
        if (state == null || key.length < prefix) {
          throw new IOException("column family '" + name + "' has entries that no state declares");
        }
        // A database after a change of the parallelism may hold key groups of another subtask.
        if (range.contains(CompositeKeySerializationUtils.extractKeyGroup(prefix, key))) {
          state.readEntry(prefix, key, iterator.value(), entries);
        }
      }
      iterator.status();
    }
  }

  private void place(HandleAndLocalPath file, Path folder) throws IOException {
    String name = file.getLocalPath();
    if (!name.matches("[A-Za-z0-9_-][A-Za-z0-9._-]*")) {
      throw new Refusal(
          "the checkpoint names a file '" + name + "' that RocksDB does not write",
          "",
          "do not use this checkpoint: it is broken or hostile");
    }
    StreamStateHandle source = savepoint.file(file.getHandle());
    if (source instanceof LocalFile local) {
      Files.createSymbolicLink(folder.resolve(name), local.path());
    } else {
      try (InputStream in = source.openInputStream()) {
        Files.copy(in, folder.resolve(name));
      }
    }
  }

  private int prefix() {
    return CompositeKeySerializationUtils.computeRequiredBytesInKeyGroupPrefix(maxParallelism);
  }

  private StateForm state(int number) throws IOException {
    if (number < 0 || number >= states.size()) {
      throw new IOException(
          "an entry belongs to state number " + number + ", which is not declared");
    }
    return states.get(number);
  }
}
