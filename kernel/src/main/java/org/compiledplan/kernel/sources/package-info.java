/** What streaming sources of the kernel share. */
package org.compiledplan.kernel.sources;
