/** Shared parts of the kernel's streaming sources. */
package org.compiledplan.kernel.sources;
