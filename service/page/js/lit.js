/** The templates' library, by one name. */
export { html, nothing, render, svg } from "../vendor/lit-html/lit-html.js";
