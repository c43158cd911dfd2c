/**
 * Stages in a query: the entry point for Python, the hosts, and the rule that rewrites their
 * physical plans.
 */
package org.compiledplan.kernel.host.stage;
