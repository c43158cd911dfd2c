package org.compiledplan.kernel.functions;

/** Functions of this family. */
final class Json {
    private Json() {}

    static void register() {}
}
