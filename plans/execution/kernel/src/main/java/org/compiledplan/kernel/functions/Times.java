package org.compiledplan.kernel.functions;

/** Functions of this family. */
final class Times {
    private Times() {}

    static void register() {}
}
