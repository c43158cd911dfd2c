/** What sinks outside have in common: a micro-batch that may be written over and over. */
package org.compiledplan.kernel.sinks;
