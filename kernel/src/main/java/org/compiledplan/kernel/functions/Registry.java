package org.compiledplan.kernel.functions;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

/** Registry of all functions by name; each family of functions registers its own. */
final class Registry {
  private static final Map<String, Function<String[], Body>> MAKERS = new HashMap<>();
  private static final Set<String> RANDOM = new HashSet<>();

  static {
    Casts.register();
    Numbers.register();
    Sequences.register();
    Strings.register();
    Patterns.register();
    Times.register();
    Json.register();
    CollectionFunctions.register();
    Lookups.register();
    BitmapFunctions.register();
    VariantFunctions.register();
  }

  private Registry() {}

  static void require(String name) {
    if (!MAKERS.containsKey(name)) {
      throw new IllegalArgumentException("the kernel has no function " + name);
    }
  }

  static boolean isRandom(String name) {
    return RANDOM.contains(name);
  }

  static Body make(String name, String[] options) {
    return MAKERS.get(name).apply(options);
  }

  /** Registers a function whose result is null if any argument is. */
  static void strict(String name, Body body) {
    Body guarded = guard(body);
    MAKERS.put(name, options -> guarded);
  }

  /** Registers a function that handles nulls itself. */
  static void plain(String name, Body body) {
    MAKERS.put(name, options -> body);
  }

  /** Registers a function with constants, null if any argument is. */
  static void strictWith(String name, Function<String[], Body> maker) {
    MAKERS.put(name, options -> guard(maker.apply(options)));
  }

  /** Registers a function with constants that handles nulls itself. */
  static void plainWith(String name, Function<String[], Body> maker) {
    MAKERS.put(name, maker);
  }

  /** Registers a nondeterministic function. */
  static void random(String name, Body body) {
    MAKERS.put(name, options -> body);
    RANDOM.add(name);
  }

  private static Body guard(Body body) {
    return values -> {
      for (Object value : values) {
        if (value == null) return null;
      }
      return body.call(values);
    };
  }
}
