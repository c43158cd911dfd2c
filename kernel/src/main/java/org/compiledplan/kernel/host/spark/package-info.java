/** Access to Spark's internals: plans, types, parts of tasks, and the start of a session. */
package org.compiledplan.kernel.host.spark;
