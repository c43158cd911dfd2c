/** Client of a schema registry with Confluent's HTTP API. */
package org.compiledplan.kernel.formats.registry;
