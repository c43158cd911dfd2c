/**
 * Kafka messages, with and without transactions: the part that does not refer to Kafka's classes.
 */
package org.compiledplan.kernel.kafka;
