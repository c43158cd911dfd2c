/**
 * The gate to all of Spark that differs between its versions or has no interface: an interface for
 * each difference, and a class for each form of it, named after the first version that has the
 * form. A class of a newer form is loaded only under a Spark that has it.
 */
package org.compiledplan.kernel.host.versions;
