package org.compiledplan.kernel.host;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.ObjectStreamClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The classes of objects in checkpoints: {@code stages.json} contains serialized conditions. */
class StoredNamesTest {
  @ParameterizedTest
  @CsvSource({
    "org.compiledplan.kernel.host.Conditions$Bound, 1",
    "org.compiledplan.kernel.host.JavaCall, 1",
    "org.compiledplan.kernel.host.JavaCalls$OrNull, 1",
    "org.compiledplan.kernel.functions.Functions$Invocation, 1",
    "org.compiledplan.kernel.functions.Moments, 1",
    "org.compiledplan.kernel.userfunctions.FunctionSpec, 0",
  })
  void namesAndVersionsAreThoseOfReleases(String name, long version) throws Exception {
    Class<?> stored = Class.forName(name, false, getClass().getClassLoader());
    assertEquals(version, ObjectStreamClass.lookup(stored).getSerialVersionUID());
  }
}
