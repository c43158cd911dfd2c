/** Loading of kernel classes that refer to libraries which a session may get after the kernel. */
package org.compiledplan.kernel.loading;
