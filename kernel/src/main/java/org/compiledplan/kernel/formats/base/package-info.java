/**
 * Basics of the formats: decoders, encoders, cells, the types of columns, texts of times, and
 * faults. Independent of the other rooms.
 */
package org.compiledplan.kernel.formats.base;
