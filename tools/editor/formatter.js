/** The part of sql-formatter that the page uses, as one module. */
export { formatDialect } from "sql-formatter";
