/** Plans that run batch by batch without a query, for tests of programs. */
package org.compiledplan.kernel.host.plain;
