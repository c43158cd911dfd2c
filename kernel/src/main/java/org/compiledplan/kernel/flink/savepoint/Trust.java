package org.compiledplan.kernel.flink.savepoint;

import java.io.IOException;
import java.io.ObjectInputFilter;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.jar.JarFile;
import java.util.stream.Stream;

/**
 * The classes that a savepoint may name.
 *
 * <p>A savepoint may come from a stranger. It holds class names of serializers, and Java objects:
 * types and comparators. Flink resolves all of them through this loader and filter, which know
 * Flink's serializers and types, and the classes of jars that the user adds.
 */
final class Trust extends ClassLoader {
  private static final long MAXIMUM_DEPTH = 100;
  private static final long MAXIMUM_REFERENCES = 1_000_000;
  private static final long MAXIMUM_ARRAY = 100_000;
  private static final long MAXIMUM_BYTES = 64 << 20;

  /** Packages of serializers and their snapshots, and of the classes of values. */
  private static final List<String> PACKAGES =
      List.of(
          "org.apache.flink.api.common.typeutils.",
          "org.apache.flink.api.java.tuple.",
          "org.apache.flink.api.java.typeutils.runtime.",
          "org.apache.flink.cep.nfa.",
          "org.apache.flink.runtime.state.",
          "org.apache.flink.streaming.api.operators.",
          "org.apache.flink.streaming.api.windowing.windows.",
          "org.apache.flink.streaming.runtime.streamrecord.",
          "org.apache.flink.table.api.dataview.",
          "org.apache.flink.table.data.",
          "org.apache.flink.table.dataview.",
          "org.apache.flink.table.runtime.operators.window.",
          "org.apache.flink.table.runtime.typeutils.",
          "org.apache.flink.types.");

  /** Packages of serialized objects: types, and serializers inside them. */
  private static final List<String> OBJECTS =
      List.of(
          "org.apache.flink.api.common.typeutils.",
          "org.apache.flink.api.java.tuple.",
          "org.apache.flink.api.java.typeutils.runtime.",
          "org.apache.flink.table.api.dataview.",
          "org.apache.flink.table.dataview.",
          "org.apache.flink.table.runtime.functions.aggregate.",
          "org.apache.flink.table.runtime.typeutils.",
          "org.apache.flink.table.types.",
          "org.apache.flink.types.",
          "java.math.",
          "java.time.");

  private static final Set<String> SINGLE =
      Set.of(
          // Comparators of sorted maps: data that nothing evaluates, see Snapshots.
          "org.apache.flink.table.runtime.generated.GeneratedClass",
          "org.apache.flink.table.runtime.generated.GeneratedRecordComparator",
          "org.apache.flink.table.runtime.operators.rank.ComparableRecordComparator",
          "org.apache.flink.table.catalog.ObjectIdentifier",
          // Classes that types name for their values.
          "org.apache.flink.table.data.ArrayData",
          "org.apache.flink.table.data.DecimalData",
          "org.apache.flink.table.data.MapData",
          "org.apache.flink.table.data.RawValueData",
          "org.apache.flink.table.data.RowData",
          "org.apache.flink.table.data.StringData",
          "org.apache.flink.table.data.TimestampData",
          "org.apache.flink.table.runtime.operators.sink.SortedLongSerializer",
          "org.apache.flink.table.runtime.operators.sink"
              + ".SortedLongSerializer$SortedLongSerializerSnapshot",
          // Getters of columns, inside serializers of rows.
          "java.lang.invoke.SerializedLambda",
          // The kind of a savepoint, in its metadata.
          "org.apache.flink.core.execution.SavepointFormatType",
          "org.apache.flink.runtime.checkpoint.CheckpointProperties",
          "org.apache.flink.runtime.checkpoint.CheckpointType",
          "org.apache.flink.runtime.checkpoint.SavepointType",
          "org.apache.flink.runtime.checkpoint.SavepointType$PostCheckpointAction",
          "org.apache.flink.runtime.checkpoint.SnapshotType",
          "org.apache.flink.runtime.checkpoint.SnapshotType$SharingFilesStrategy",
          "java.lang.Boolean",
          "java.lang.Byte",
          "java.lang.Character",
          "java.lang.Class",
          "java.lang.Double",
          "java.lang.Enum",
          "java.lang.Float",
          "java.lang.Integer",
          "java.lang.Long",
          "java.lang.Number",
          "java.lang.Object",
          "java.lang.Short",
          "java.lang.String",
          "java.lang.Void",
          "java.util.ArrayList",
          "java.util.Arrays$ArrayList",
          "java.util.CollSer",
          "java.util.Collections$EmptyList",
          "java.util.Collections$EmptyMap",
          "java.util.Collections$EmptySet",
          "java.util.Collections$SingletonList",
          "java.util.Collections$UnmodifiableCollection",
          "java.util.Collections$UnmodifiableList",
          "java.util.Collections$UnmodifiableMap",
          "java.util.Collections$UnmodifiableRandomAccessList",
          "java.util.HashMap",
          "java.util.ImmutableCollections$List12",
          "java.util.ImmutableCollections$ListN",
          "java.util.ImmutableCollections$Map1",
          "java.util.ImmutableCollections$MapN",
          "java.util.ImmutableCollections$Set12",
          "java.util.ImmutableCollections$SetN",
          // Classes of the values of structured types.
          "boolean",
          "byte",
          "char",
          "double",
          "float",
          "int",
          "long",
          "short",
          "java.util.LinkedHashMap",
          "java.util.LinkedList",
          "java.util.List",
          "java.util.Map",
          "java.util.Map$Entry");

  private final Set<String> added = new HashSet<>();
  private final ThreadLocal<String> refused = new ThreadLocal<>();

  Trust(List<Path> jars) throws Refusal {
    super(Trust.class.getClassLoader());
    for (Path jar : jars) {
      try (JarFile file = new JarFile(jar.toFile())) {
        file.stream()
            .map(entry -> entry.getName())
            .filter(name -> name.endsWith(".class"))
            .forEach(name -> added.add(name.substring(0, name.length() - 6).replace('/', '.')));
      } catch (IOException error) {
        throw new Refusal(
            "the jar cannot be read: " + error.getMessage(),
            Savepoint.quoted(jar),
            "check the path");
      }
    }
  }

  /** Installs the filter for all object streams of the process. */
  void install() {
    ObjectInputFilter.Config.setSerialFilter(this::check);
  }

  /** The class that this thread was last denied, which is then forgotten; null if there is none. */
  String takeRefused() {
    String name = refused.get();
    refused.remove();
    return name;
  }

  @Override
  protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
    if (SINGLE.contains(name) || added.contains(name) || startsWith(name, PACKAGES, OBJECTS)) {
      return super.loadClass(name, resolve);
    }
    refused.set(name);
    throw new ClassNotFoundException(name + " is not among the classes that a savepoint may name");
  }

  private ObjectInputFilter.Status check(ObjectInputFilter.FilterInfo info) {
    if (info.depth() > MAXIMUM_DEPTH
        || info.references() > MAXIMUM_REFERENCES
        || info.streamBytes() > MAXIMUM_BYTES
        || info.arrayLength() > MAXIMUM_ARRAY) {
      refused.set("an object larger than the limits");
      return ObjectInputFilter.Status.REJECTED;
    }
    Class<?> type = info.serialClass();
    if (type == null) {
      return ObjectInputFilter.Status.UNDECIDED;
    }
    while (type.isArray()) {
      type = type.getComponentType();
    }
    String name = type.getName();
    if (type.isHidden()) {
      // A lambda of the class whose name it begins with.
      name = name.substring(0, Math.max(0, name.indexOf("$$Lambda")));
    }
    if (type.isPrimitive()
        || SINGLE.contains(name)
        || added.contains(name)
        || startsWith(name, OBJECTS)) {
      return ObjectInputFilter.Status.ALLOWED;
    }
    refused.set(name);
    return ObjectInputFilter.Status.REJECTED;
  }

  @SafeVarargs
  private static boolean startsWith(String name, List<String>... prefixes) {
    return Stream.of(prefixes).flatMap(List::stream).anyMatch(name::startsWith);
  }
}
