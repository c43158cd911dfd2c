/** Messages of Kafka that are written in transactions: what does not refer to Kafka's classes. */
package org.compiledplan.kernel.kafka;
