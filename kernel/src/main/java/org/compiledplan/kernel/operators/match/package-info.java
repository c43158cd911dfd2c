/** MATCH_RECOGNIZE: the pattern as a state machine, its partial matches, and their values. */
package org.compiledplan.kernel.operators.match;
