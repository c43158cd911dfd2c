/** Changelogs by primary key: normalization behind a source, compaction and order before a sink. */
package org.compiledplan.kernel.operators.changelog;
