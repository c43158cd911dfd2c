package org.compiledplan.kernel.functions;

/** Functions of this family. */
final class Patterns {
    private Patterns() {}

    static void register() {}
}
