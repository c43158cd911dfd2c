/** Protocol Buffers: message types, and values in both directions. */
package org.compiledplan.kernel.formats.protobuf;
