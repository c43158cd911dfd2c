/** Avro: messages, change events of Debezium, and container files. */
package org.compiledplan.kernel.formats.avro;
