/**
 * Classes that refer to Kafka's clients, which a session may get after the kernel: see {@code
 * Clients}.
 */
package org.compiledplan.kernel.kafka.clients;
