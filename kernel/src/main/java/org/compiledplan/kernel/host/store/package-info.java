/** State of a stage in Spark's state store: values, lists of due keys, and caches of both. */
package org.compiledplan.kernel.host.store;
