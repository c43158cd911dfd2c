package org.compiledplan.kernel.functions;

/** Functions of this family. */
final class Collections {
    private Collections() {}

    static void register() {}
}
