/** JSON and the formats of change events in JSON: Debezium, Ogg, Canal and Maxwell. */
package org.compiledplan.kernel.formats.json;
