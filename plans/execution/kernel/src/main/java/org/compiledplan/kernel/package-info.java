/** Keyed stages and their operators; the operators know no Spark and are tested without it. */
package org.compiledplan.kernel;
