import * as api from "../api.js";
import { since } from "../format.js";
import { html, nothing } from "../lit.js";
import { to } from "../router.js";
import { warning } from "./icons.js";

/** The firing alerts, of one pipeline if a name is given; none if the service does not answer. */
export const firingAlerts = (name = "") => api.alerts(name).then(({ items }) => items.filter(({ resolved_at }) => !resolved_at)).catch(() => []);

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
