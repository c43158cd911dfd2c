package org.compiledplan.kernel.host.versions;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Collectors;
import org.apache.spark.TaskContext;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.catalyst.encoders.ExpressionEncoder;
import org.apache.spark.sql.catalyst.encoders.package$;
import org.apache.spark.sql.execution.metric.SQLMetric;
import org.apache.spark.sql.execution.streaming.operators.stateful.transformwithstate.statefulprocessor.StatefulProcessorHandleImpl;
import org.apache.spark.sql.execution.streaming.operators.stateful.transformwithstate.statevariables.ValueStateImpl;
import org.apache.spark.sql.execution.streaming.operators.stateful.transformwithstate.timers.TimerStateImpl;
import org.apache.spark.sql.execution.streaming.state.KeyStateEncoderSpec;
import org.apache.spark.sql.execution.streaming.state.StateStore;
import org.apache.spark.sql.streaming.StatefulProcessorHandle;
import org.apache.spark.sql.streaming.TTLConfig;
import org.apache.spark.sql.streaming.TimeMode;
import org.apache.spark.sql.streaming.ValueState;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.util.TaskCompletionListener;

/**
 * A task's access to Spark's state of a stage: the state variable and the timers. Spark creates
 * both in each task, resolves their encoders and generates code for them, which took a third of the
 * processor time of small micro-batches; here a task leaves them in a pool for a later task, which
 * attaches them to its own store. All stages have the same variable and the same type of keys.
 *
 * <p>The store is set by reflection, as there is no other way. With a Spark whose fields differ,
 * each task has its own, as Spark creates them.
 */
final class PooledAccess {
  private static final Fields FIELDS = Fields.resolve();

  /** Pooled instances, by the time mode of their timers. */
  private static final Map<String, Queue<PooledAccess>> IDLE = new ConcurrentHashMap<>();

  private final ValueStateImpl<byte[]> variable;
  private final TimerStateImpl timers;
  private final List<Family> families = new ArrayList<>();

  /** Initial values of the timers' fields: bound to a store, without history. */
  private final Map<Field, Object> unused = new LinkedHashMap<>();

  /** A column family of every store. */
  private record Family(
      String name,
      StructType key,
      StructType value,
      KeyStateEncoderSpec encoder,
      boolean multiple,
      boolean internal) {}

  /**
   * @param name name of the variable
   */
  @SuppressWarnings({"unchecked", "rawtypes"})
  private PooledAccess(String name, StatefulProcessorHandleImpl handle)
      throws IllegalAccessException {
    StateStore families = recorder();
    ExpressionEncoder<Object> keys = (ExpressionEncoder<Object>) FIELDS.keyEncoder.get(handle);
    ExpressionEncoder<byte[]> bytes = package$.MODULE$.encoderFor(Encoders.BINARY());
    variable =
        new ValueStateImpl<>(families, name, keys, (ExpressionEncoder) bytes, metrics(handle));
    timers = new TimerStateImpl(families, (TimeMode) FIELDS.timeMode.get(handle), keys);
    for (Field field : FIELDS.scanFields) unused.put(field, field.get(timers));
  }

  /**
   * The state variable of a task; the handle's timers are set as well.
   *
   * @param name name of the variable
   * @param hasFamilies true if the store already has its column families; otherwise they are
   *     created
   */
  static ValueState<byte[]> variable(
      String name, StatefulProcessorHandle handle, boolean hasFamilies) {
    TaskContext task = TaskContext.get();
    if (FIELDS == null || task == null || !(handle instanceof StatefulProcessorHandleImpl)) {
      return handle.getValueState(name, Encoders.BINARY(), TTLConfig.NONE());
    }
    try {
      StatefulProcessorHandleImpl of = (StatefulProcessorHandleImpl) handle;
      Queue<PooledAccess> idle =
          IDLE.computeIfAbsent(
              name + '/' + FIELDS.timeMode.get(of), n -> new ConcurrentLinkedQueue<>());
      PooledAccess pooled = idle.poll();
      PooledAccess access = pooled == null ? new PooledAccess(name, of) : pooled;
      access.enter(of, hasFamilies);
      task.addTaskCompletionListener(
          (TaskCompletionListener)
              ended -> {
                access.leave();
                idle.add(access);
              });
      return access.variable;
    } catch (IllegalAccessException fault) {
      throw new IllegalStateException(fault);
    }
  }

  /** The store of a task's state; null if Spark's fields differ. */
  static StateStore store(StatefulProcessorHandle handle) {
    if (FIELDS == null || !(handle instanceof StatefulProcessorHandleImpl)) return null;
    try {
      return (StateStore) FIELDS.store.get(handle);
    } catch (IllegalAccessException fault) {
      throw new IllegalStateException(fault);
    }
  }

  private void enter(StatefulProcessorHandleImpl handle, boolean hasFamilies)
      throws IllegalAccessException {
    StateStore store = store(handle);
    for (Family family : hasFamilies ? List.<Family>of() : families) {
      store.createColFamilyIfAbsent(
          family.name, family.key, family.value, family.encoder, family.multiple, family.internal);
    }
    FIELDS.variableStore.set(variable, store);
    FIELDS.variableMetrics.set(variable, metrics(handle));
    FIELDS.timersStore.set(timers, store);
    FIELDS.timers.set(handle, timers);
    FIELDS.created.setVolatile(
        handle, (byte) ((byte) FIELDS.created.get(handle) | FIELDS.timersInitialized));
  }

  private void leave() {
    try {
      FIELDS.variableStore.set(variable, null);
      FIELDS.variableMetrics.set(variable, null);
      FIELDS.timersStore.set(timers, null);
      for (Map.Entry<Field, Object> entry : unused.entrySet()) {
        entry.getKey().set(timers, entry.getValue());
      }
    } catch (IllegalAccessException fault) {
      throw new IllegalStateException(fault);
    }
  }

  @SuppressWarnings("unchecked")
  private static scala.collection.immutable.Map<String, SQLMetric> metrics(
      StatefulProcessorHandleImpl handle) throws IllegalAccessException {
    return (scala.collection.immutable.Map<String, SQLMetric>) FIELDS.metrics.get(handle);
  }

  /** A store that records which column families are created in it and does nothing else. */
  private StateStore recorder() {
    return (StateStore)
        Proxy.newProxyInstance(
            StateStore.class.getClassLoader(),
            new Class<?>[] {StateStore.class},
            (proxy, method, arguments) -> {
              String called = method.getName();
              // A default argument of the call is false, as in Spark.
              if (called.startsWith("createColFamilyIfAbsent$default")) return false;
              if (!called.equals("createColFamilyIfAbsent")) {
                throw new UnsupportedOperationException(called);
              }
              families.add(
                  new Family(
                      (String) arguments[0],
                      (StructType) arguments[1],
                      (StructType) arguments[2],
                      (KeyStateEncoderSpec) arguments[3],
                      (boolean) arguments[4],
                      (boolean) arguments[5]));
              return null;
            });
  }

  private static final class Fields {
    private static final String LOG = "org$apache$spark$internal$Logging$$log_";

    private final byte timersInitialized;
    private final Field store = field(StatefulProcessorHandleImpl.class, "store");
    private final Field keyEncoder = field(StatefulProcessorHandleImpl.class, "keyEncoder");
    private final Field timeMode = field(StatefulProcessorHandleImpl.class, "timeMode");
    private final Field metrics = field(StatefulProcessorHandleImpl.class, "metrics");
    private final Field timers = field(StatefulProcessorHandleImpl.class, "timerState");
    private final Field variableStore = field(ValueStateImpl.class, "store");
    private final Field variableMetrics = field(ValueStateImpl.class, "metrics");
    private final Field timersStore = field(TimerStateImpl.class, "store");
    private final List<Field> scanFields = new ArrayList<>();
    private final VarHandle created;

    private Fields(MutableFields mutable) throws ReflectiveOperationException {
      expect(ValueStateImpl.class, Set.of());
      expect(TimerStateImpl.class, mutable.timers());
      expect(StatefulProcessorHandleImpl.class, mutable.handle());
      timersInitialized = mutable.timersInitialized();
      created =
          MethodHandles.privateLookupIn(StatefulProcessorHandleImpl.class, MethodHandles.lookup())
              .findVarHandle(StatefulProcessorHandleImpl.class, "bitmap$0", byte.class);
      for (String name : mutable.scan()) scanFields.add(field(TimerStateImpl.class, name));
    }

    private static Fields resolve() {
      try {
        return new Fields(MutableFields.of(SparkVersion.running()));
      } catch (ReflectiveOperationException | RuntimeException error) {
        return null;
      }
    }

    /** Throws if a class has other mutable fields: their content would leak into another task. */
    private static void expect(Class<?> of, Set<String> changing) {
      Set<String> fields =
          Arrays.stream(of.getDeclaredFields())
              .filter(candidate -> !Modifier.isStatic(candidate.getModifiers()))
              .filter(candidate -> !Modifier.isFinal(candidate.getModifiers()))
              .map(Field::getName)
              .filter(name -> !name.equals(LOG))
              .collect(Collectors.toSet());
      if (!fields.equals(changing)) throw new IllegalStateException(of.getName());
    }

    private static Field field(Class<?> of, String name) {
      try {
        Field field = of.getDeclaredField(name);
        field.setAccessible(true);
        return field;
      } catch (NoSuchFieldException fault) {
        throw new IllegalStateException(fault);
      }
    }
  }
}
