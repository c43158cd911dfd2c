package org.compiledplan.kernel.userfunctions.flink;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.flink.shaded.asm9.org.objectweb.asm.ClassReader;
import org.apache.flink.shaded.asm9.org.objectweb.asm.ClassWriter;
import org.apache.flink.table.functions.AggregateFunction;
import org.apache.flink.table.functions.AsyncScalarFunction;
import org.apache.flink.table.functions.AsyncTableFunction;
import org.apache.flink.table.functions.ScalarFunction;
import org.apache.flink.table.functions.TableFunction;
import org.apache.flink.table.functions.UserDefinedFunction;
import org.apache.flink.table.functions.UserDefinedFunctionHelper;
import org.apache.flink.table.types.DataType;
import org.apache.flink.table.types.inference.TypeInference;
import org.apache.flink.table.types.inference.TypeInferenceUtil;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.LogicalTypeFamily;
import org.apache.flink.table.types.logical.LogicalTypeRoot;
import org.apache.flink.table.types.logical.RowType;
import org.compiledplan.kernel.userfunctions.Description;
import org.compiledplan.kernel.userfunctions.FunctionFactory;
import org.compiledplan.kernel.userfunctions.FunctionFailure;
import org.compiledplan.kernel.userfunctions.FunctionSpec;
import org.compiledplan.kernel.userfunctions.UserFunction;

/** Loads functions, and infers their types with Flink's own inference. */
public final class FlinkFunctions implements FunctionFactory {
  /** The classes of functions by the kind of their place in a plan. */
  private static final Map<String, List<Class<?>>> CLASSES =
      Map.of(
          "SCALAR", List.of(ScalarFunction.class, AsyncScalarFunction.class),
          "TABLE", List.of(TableFunction.class, AsyncTableFunction.class),
          "AGGREGATE", List.of(AggregateFunction.class));

  /** A loaded function with the types that Flink infers for a call. */
  record Loaded(
      FunctionSpec spec,
      UserDefinedFunction function,
      List<DataType> arguments,
      DataType result,
      DataType accumulator) {}

  @Override
  public Description describe(FunctionSpec spec, ClassLoader loader) {
    Loaded loaded = load(spec, loader);
    FlinkFunction function = checked(loaded);
    Set<String> methods =
        Arrays.stream(loaded.function.getClass().getMethods())
            .filter(method -> !Modifier.isStatic(method.getModifiers()))
            .filter(method -> method.getDeclaringClass() != Object.class)
            .map(Method::getName)
            .collect(Collectors.toSet());
    DataType accumulator = loaded.accumulator;
    return new Description(
        loaded.function.getKind().name(),
        loaded.function.isDeterministic(),
        methods,
        function.accumulatorType(),
        accumulator == null ? "" : text(accumulator.getLogicalType()));
  }

  @Override
  public String code(String className, ClassLoader loader) {
    try (InputStream bytes = loader.getResourceAsStream(className.replace('.', '/') + ".class")) {
      if (bytes == null) return "";
      ClassWriter code = new ClassWriter(0);
      new ClassReader(bytes).accept(code, ClassReader.SKIP_DEBUG);
      byte[] digest = MessageDigest.getInstance("SHA-256").digest(code.toByteArray());
      return HexFormat.of().formatHex(digest);
    } catch (IOException | NoSuchAlgorithmException error) {
      return "";
    }
  }

  /** The type in Flink's notation, a summary if it has no text that can be parsed. */
  private static String text(LogicalType type) {
    try {
      return type.asSerializableString();
    } catch (RuntimeException error) {
      return type.asSummaryString();
    }
  }

  @Override
  public UserFunction open(FunctionSpec spec, ClassLoader loader) {
    Loaded loaded = load(spec, loader);
    FlinkFunction function = checked(loaded);
    try {
      loaded.function.open(new RunContext(spec.parameters(), loader));
    } catch (Exception error) {
      throw new FunctionFailure(
          "user function failed: %s: `open` raised %s".formatted(spec.title(), error), null);
    }
    return function;
  }

  private static FlinkFunction checked(Loaded loaded) {
    try {
      return new FlinkFunction(loaded);
    } catch (RuntimeException | LinkageError error) {
      throw refused(loaded.spec, error.getMessage(), error);
    }
  }

  private static Loaded load(FunctionSpec spec, ClassLoader loader) {
    UserDefinedFunction function = instance(spec, loader);
    try {
      Types types = new Types(loader, function.getClass().getProtectionDomain().getCodeSource());
      List<DataType> arguments = spec.arguments().stream().map(types::createDataType).toList();
      TypeInference inference = function.getTypeInference(types);
      TypeInferenceUtil.Result result =
          TypeInferenceUtil.runTypeInference(
              inference, new PlanCall(types, function, spec, arguments), null);
      DataType accumulator =
          result.getStateInfos().values().stream()
              .findFirst()
              .map(TypeInferenceUtil.StateInfo::getDataType)
              .orElse(null);
      checkResult(spec, types, result.getOutputDataType());
      return new Loaded(
          spec,
          function,
          result.getExpectedArgumentTypes(),
          result.getOutputDataType(),
          accumulator);
    } catch (FunctionFailure failure) {
      throw failure;
    } catch (RuntimeException | LinkageError error) {
      throw refused(spec, reason(error), error);
    }
  }

  private static UserDefinedFunction instance(FunctionSpec spec, ClassLoader loader) {
    Class<?> class_;
    try {
      // Its static initialiser runs only if it is a function.
      class_ = Class.forName(spec.className(), false, loader);
    } catch (ClassNotFoundException error) {
      throw new FunctionFailure(
          "there is no class " + spec.className() + " on the class path", error);
    } catch (LinkageError error) {
      throw refused(spec, "its class cannot be loaded: " + error, error);
    }
    if (CLASSES.get(spec.kind()).stream().noneMatch(kind -> kind.isAssignableFrom(class_)))
      throw refused(
          spec,
          "it derives from %s, and the plan calls it as a function of kind %s"
              .formatted(class_.getSuperclass().getName(), spec.kind()),
          null);
    try {
      return UserDefinedFunctionHelper.instantiateFunction(
          class_.asSubclass(UserDefinedFunction.class));
    } catch (RuntimeException | LinkageError error) {
      throw refused(spec, "an object of it cannot be created: " + reason(error), error);
    }
  }

  private static void checkResult(FunctionSpec spec, Types types, DataType inferred) {
    LogicalType planned = types.createLogicalType(spec.result());
    LogicalType own = inferred.getLogicalType();
    LogicalType wanted =
        spec.kind().equals("TABLE") && !isComposite(own) && planned instanceof RowType row
            ? row.getTypeAt(0)
            : planned;
    if (spec.kind().equals("TABLE") && isComposite(own)) {
      // The columns of its rows are the fields of its class, and may be renamed.
      if (own.getChildren().size() == wanted.getChildren().size()) return;
    } else if (shape(own).equals(shape(wanted))) {
      return;
    }
    throw refused(spec, "it returns %s, and the plan says %s".formatted(own, planned), null);
  }

  /** The type without nullability, names and classes, by which values are equal. */
  private static String shape(LogicalType type) {
    if (type.getChildren().isEmpty()) {
      String text = type.copy(true).asSummaryString();
      return type.is(LogicalTypeFamily.CHARACTER_STRING)
          ? "STRING"
          : type.is(LogicalTypeFamily.BINARY_STRING) ? "BYTES" : text;
    }
    return (isComposite(type) ? "ROW" : type.getTypeRoot().name())
        + type.getChildren().stream().map(FlinkFunctions::shape).toList();
  }

  static boolean isComposite(LogicalType type) {
    return type.is(LogicalTypeRoot.ROW) || type.is(LogicalTypeRoot.STRUCTURED_TYPE);
  }

  /** The messages of an error and its causes, in one line. */
  private static String reason(Throwable error) {
    Set<String> messages = new LinkedHashSet<>();
    for (Throwable cause = error; cause != null && messages.size() < 5; cause = cause.getCause())
      messages.add(cause.getMessage() == null ? cause.toString() : cause.getMessage());
    return String.join(" ", messages).replaceAll("\\s+", " ");
  }

  static FunctionFailure refused(FunctionSpec spec, String reason, Throwable error) {
    return new FunctionFailure("the Java function %s: %s".formatted(spec.title(), reason), error);
  }
}
