import * as api from "../api.js";
import { count, since } from "../format.js";
import { html, nothing } from "../lit.js";
import { to } from "../router.js";
import { warning } from "./icons.js";

/** The firing alerts and the rules, of one pipeline if a name is given; none if the service does not answer. */
export const alertsOf = (name = "") =>
  api.alerts(name).then(({ items, rules }) => ({ alerts: items.filter(({ resolved_at }) => !resolved_at), rules })).catch(() => ({ alerts: [], rules: [] }));

/** The rules that cover a pipeline, in one line. */
export const rulesLine = (rules) => (rules?.length ? html`<span>Alert rules: ${rules.map(ruleText).join(", ")}</span>` : nothing);

const ruleText = ({ name, condition, above }) => `${name} (${condition}${above ? ` above ${count(above)}` : ""})`;

/**
 * Firing alerts above the list of pipelines or in the head of one.
 * @param {object[]} alerts
 * @param {boolean} [named] true links the pipelines
 */
export function alertBox(alerts, named = true) {
  if (!alerts?.length) return nothing;
  return html`<section class="problem alerts" aria-label="Alerts">${warning}<div>
    <p><strong>${alerts.length} ${alerts.length === 1 ? "alert fires" : "alerts fire"}</strong></p>
    <ul>${alerts.map((alert) => html`<li>${named ? html`<a href=${to(["pipelines", alert.pipeline])}>${alert.pipeline}</a> ` : nothing}
      <span class="alert-rule">${alert.rule}</span> ${alert.message} <span class="muted">${since(alert.since, true)}</span></li>`)}</ul>
  </div></section>`;
}
