import java.io.File;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.TreeMap;
import java.util.jar.JarFile;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.table.factories.DecodingFormatFactory;
import org.apache.flink.table.factories.DynamicTableSinkFactory;
import org.apache.flink.table.factories.DynamicTableSourceFactory;
import org.apache.flink.table.factories.EncodingFormatFactory;
import org.apache.flink.table.factories.Factory;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNode;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNodeMetadata;
import org.apache.flink.table.planner.plan.utils.ExecNodeMetadataUtil;

/**
 * Declarations in Flink's jars: nodes of plans, options of sessions, and options of connectors and
 * formats.
 */
final class Inventory {
  private static final String PACKAGE = "org/apache/flink/table/";

  private Inventory() {}

  /** Node types with their name and version, and whether Flink can write them into a plan. */
  static Map<String, Object> nodes() {
    Map<String, Object> result = new TreeMap<>();
    for (Class<? extends ExecNode<?>> node : ExecNodeMetadataUtil.execNodes()) {
      for (ExecNodeMetadata metadata : ExecNodeMetadataUtil.extractMetadataFromAnnotation(node))
        result.put(
            metadata.name() + "_" + metadata.version(),
            Map.of("written", !ExecNodeMetadataUtil.isUnsupported(node)));
    }
    return result;
  }

  /** Options in static fields of the classes of Flink's table packages. */
  static Map<String, Object> options() throws Exception {
    Map<String, Object> result = new TreeMap<>();
    for (String name : System.getProperty("java.class.path").split(File.pathSeparator)) {
      if (!name.endsWith(".jar")) continue;
      try (JarFile jar = new JarFile(name)) {
        for (var entry : (Iterable<java.util.jar.JarEntry>) jar.stream()::iterator) {
          String file = entry.getName();
          if (file.startsWith(PACKAGE) && file.endsWith("Options.class") && !file.contains("$"))
            add(result, file);
        }
      }
    }
    return result;
  }

  private static void add(Map<String, Object> result, String file) {
    try {
      Class<?> type = Class.forName(file.replace('/', '.').substring(0, file.length() - 6));
      for (Field field : type.getFields()) {
        if (Modifier.isStatic(field.getModifiers())
            && ConfigOption.class.isAssignableFrom(field.getType())) {
          ConfigOption<?> option = (ConfigOption<?>) field.get(null);
          if (option.key().matches("(table|python|sql-client|sql-gateway)\\..*"))
            result.put(option.key(), described(option));
        }
      }
    } catch (ReflectiveOperationException | LinkageError e) {
      System.err.println(file + ": " + e);
    }
  }

  private static Map<String, Object> described(ConfigOption<?> option)
      throws ReflectiveOperationException {
    var getter = ConfigOption.class.getDeclaredMethod("getClazz");
    getter.setAccessible(true);
    Class<?> type = (Class<?>) getter.invoke(option);
    Map<String, Object> result = new LinkedHashMap<>();
    Object value = option.defaultValue();
    result.put("type", type.isEnum() ? "enum" : type.getSimpleName());
    if (type.isEnum()) {
      List<String> names = new ArrayList<>();
      for (Object constant : type.getEnumConstants()) names.add(constant.toString());
      result.put("values", names);
    }
    if (value != null) result.put("default", value.toString());
    return result;
  }

  /** Connectors and formats with their options. */
  static Map<String, Object> factories() throws ReflectiveOperationException {
    Map<String, Object> result = new TreeMap<>();
    for (Factory factory : ServiceLoader.load(Factory.class)) {
      if (factory instanceof Upserts) continue;
      List<String> roles = new ArrayList<>();
      if (factory instanceof DynamicTableSourceFactory) roles.add("source");
      if (factory instanceof DynamicTableSinkFactory) roles.add("sink");
      if (factory instanceof DecodingFormatFactory
          || factory.getClass().getName().endsWith("FileFormatFactory")) roles.add("format");
      if (roles.isEmpty() && factory instanceof EncodingFormatFactory) roles.add("format");
      if (roles.isEmpty()) continue;
      @SuppressWarnings("unchecked")
      Map<String, Object> known =
          (Map<String, Object>)
              result.computeIfAbsent(factory.factoryIdentifier(), key -> new TreeMap<>());
      known.put("roles", roles);
      Map<String, Object> options = new TreeMap<>();
      for (ConfigOption<?> option : factory.optionalOptions())
        options.put(option.key(), described(option));
      for (ConfigOption<?> option : factory.requiredOptions()) {
        Map<String, Object> described = described(option);
        described.put("required", true);
        options.put(option.key(), described);
      }
      @SuppressWarnings("unchecked")
      Map<String, Object> all =
          (Map<String, Object>) known.computeIfAbsent("options", key -> new TreeMap<>());
      all.putAll(options);
    }
    return result;
  }
}
