/** Functions of row expressions that Spark lacks, or whose results differ from Flink's. */
package org.compiledplan.kernel.functions;
