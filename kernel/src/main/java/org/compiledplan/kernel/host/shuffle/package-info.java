/**
 * Rows around the shuffle of a stage: folded before it, grouped by key behind it, and led past the
 * host.
 */
package org.compiledplan.kernel.host.shuffle;
