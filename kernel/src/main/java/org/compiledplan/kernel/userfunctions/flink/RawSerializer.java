package org.compiledplan.kernel.userfunctions.flink;

import com.esotericsoftware.kryo.Kryo;
import com.esotericsoftware.kryo.Registration;
import com.esotericsoftware.kryo.io.Input;
import com.esotericsoftware.kryo.io.Output;
import java.io.IOException;
import java.security.CodeSource;
import java.util.Objects;
import java.util.Set;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

/**
 * Serializer of RAW values in accumulators: Spark's Kryo, as Flink's needs another version of Kryo
 * than Spark has. It reads objects of the type's class, of the function's jar and of Java's value
 * classes, and no others: a checkpoint does not choose which classes are loaded.
 */
final class RawSerializer<T> extends TypeSerializer<T> {
  private static final long serialVersionUID = 1L;
  private static final int BUFFER = 256;
  private static final Set<String> PACKAGES =
      Set.of("java.lang", "java.util", "java.math", "java.time", "java.util.concurrent.atomic");

  private final Class<T> type;
  private final transient ClassLoader loader;
  private final transient CodeSource source;
  private transient Kryo kryo;

  /**
   * @param loader the function's class loader
   * @param source the jar whose classes may be read; null if it is unknown
   */
  RawSerializer(Class<T> type, ClassLoader loader, CodeSource source) {
    this.type = type;
    this.loader = loader;
    this.source = source;
  }

  private Kryo kryo() {
    if (kryo == null) {
      kryo =
          new Kryo() {
            @Override
            public Registration getRegistration(Class read) {
              if (!isAllowed(read))
                throw new IllegalArgumentException(
                    "an object of %s, which is neither in the function's jar nor one of Java's values"
                        .formatted(read.getName()));
              return super.getRegistration(read);
            }
          };
      kryo.setRegistrationRequired(false);
      kryo.setClassLoader(loader);
      kryo.setInstantiatorStrategy(
          new Kryo.DefaultInstantiatorStrategy(
              new org.objenesis.strategy.StdInstantiatorStrategy()));
    }
    return kryo;
  }

  private boolean isAllowed(Class<?> read) {
    Class<?> item = read;
    while (item.isArray()) item = item.getComponentType();
    if (item == type || item.isPrimitive() || PACKAGES.contains(item.getPackageName())) return true;
    CodeSource own = item.getProtectionDomain().getCodeSource();
    return own != null && source != null && Objects.equals(own.getLocation(), source.getLocation());
  }

  @Override
  public boolean isImmutableType() {
    return false;
  }

  @Override
  public TypeSerializer<T> duplicate() {
    return new RawSerializer<>(type, loader, source);
  }

  @Override
  public T createInstance() {
    return null;
  }

  @Override
  public T copy(T from) {
    return kryo().copy(from);
  }

  @Override
  public T copy(T from, T reuse) {
    return copy(from);
  }

  @Override
  public void copy(DataInputView from, DataOutputView to) throws IOException {
    serialize(deserialize(from), to);
  }

  @Override
  public int getLength() {
    return -1;
  }

  @Override
  public void serialize(T object, DataOutputView to) throws IOException {
    Output output = new Output(BUFFER, -1);
    kryo().writeClassAndObject(output, object);
    to.writeInt(output.position());
    to.write(output.getBuffer(), 0, output.position());
  }

  @Override
  public T deserialize(DataInputView from) throws IOException {
    byte[] bytes = new byte[from.readInt()];
    from.readFully(bytes);
    return type.cast(kryo().readClassAndObject(new Input(bytes)));
  }

  @Override
  public T deserialize(T reuse, DataInputView from) throws IOException {
    return deserialize(from);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof RawSerializer<?> serializer && serializer.type == type;
  }

  @Override
  public int hashCode() {
    return type.hashCode();
  }

  @Override
  public TypeSerializerSnapshot<T> snapshotConfiguration() {
    throw new UnsupportedOperationException("RAW values are not written into plans");
  }
}
