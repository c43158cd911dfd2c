/** Functions of row expressions that Spark does not have, or has with other results than Flink. */
package org.compiledplan.kernel.functions;
