package org.compiledplan.kernel.flink.savepoint;

import java.io.Serializable;
import java.util.Comparator;
import org.apache.flink.api.common.typeutils.CompositeTypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.NestedSerializersSnapshotDelegate;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.table.runtime.typeutils.ExternalSerializer.ExternalSerializerSnapshot;
import org.apache.flink.table.runtime.typeutils.SortedMapSerializerSnapshot;
import org.apache.flink.table.types.DataType;
import org.apache.flink.table.types.utils.DataTypeUtils;

/** Serializers restored from snapshots in a way that needs no generated code. */
final class Snapshots {
  private static final String NESTED = "nestedSerializersSnapshotDelegate";

  private Snapshots() {}

  /** Restores a serializer that sorts no map and converts no row into objects of users. */
  static <T> TypeSerializer<T> prepared(TypeSerializerSnapshot<T> snapshot) {
    prepare(snapshot);
    return snapshot.restoreSerializer();
  }

  private static void prepare(TypeSerializerSnapshot<?> snapshot) {
    if (snapshot instanceof SortedMapSerializerSnapshot<?, ?>) {
      PrivateFields.set(snapshot, "comparator", new AsWritten());
    } else if (snapshot instanceof ExternalSerializerSnapshot<?, ?>) {
      DataType type = (DataType) PrivateFields.get(snapshot, "dataType");
      PrivateFields.set(
          snapshot, "dataType", DataTypeUtils.toInternalDataType(type.getLogicalType()));
    }
    if (snapshot instanceof CompositeTypeSerializerSnapshot<?, ?> composite) {
      prepareAll(composite.getNestedSerializerSnapshots());
    } else if (PrivateFields.has(snapshot, NESTED)) {
      Object nested = PrivateFields.get(snapshot, NESTED);
      prepareAll(((NestedSerializersSnapshotDelegate) nested).getNestedSerializerSnapshots());
    }
  }

  private static void prepareAll(TypeSerializerSnapshot<?>[] snapshots) {
    for (TypeSerializerSnapshot<?> snapshot : snapshots) {
      prepare(snapshot);
    }
  }

  /** An order in which a sorted map keeps its entries as they are added. */
  static Comparator<Object> asWritten() {
    return new AsWritten();
  }

  /** An order of keys in which a sorted map keeps the order of its entries in the file. */
  private static final class AsWritten implements Comparator<Object>, Serializable {
    private static final long serialVersionUID = 1;

    @Override
    public int compare(Object added, Object present) {
      return 1;
    }
  }
}
