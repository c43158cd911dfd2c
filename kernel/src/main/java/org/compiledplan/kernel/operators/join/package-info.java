/**
 * Joins on a key: of changelogs, of several inputs, by interval, of versions, and behind a lookup.
 */
package org.compiledplan.kernel.operators.join;
