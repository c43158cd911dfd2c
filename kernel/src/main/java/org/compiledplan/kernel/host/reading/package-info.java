/** State of a checkpoint as readable columns, and in the neutral form of Flink. */
package org.compiledplan.kernel.host.reading;
