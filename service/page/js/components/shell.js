import { html, nothing } from "../lit.js";
import { clockTime } from "../format.js";
import { to } from "../router.js";
import { theme as themeIcon, warning } from "./icons.js";

const THEMES = { system: "system", light: "light", dark: "dark" };

/** The frame of every view: header, navigation and notifications. */
export function shell({ app, body, signOut, turnTheme, plain }) {
  const { me, route } = app;
  const link = (name, words) =>
    html`<a href=${to([name])} aria-current=${route.name === name ? "page" : nothing}>${words}</a>`;
  return html`<a class="skip" href="#main" @click=${skip}>Skip to content</a>
    <header class="top">
      <a class="brand" aria-label="plan-service" href=${to(["pipelines"])}><img src="icon.svg" alt="" width="22" height="22" /><span class="wide-only">plan-service</span></a>
      ${plain ? nothing : html`<nav aria-label="Main">${link("pipelines", "Pipelines")}${link("lineage", "Lineage")}${me?.role === "operator" ? [link("secrets", "Secrets"), link("tokens", "Tokens")] : nothing}</nav>`}
      <span class="spacer"></span>
      <button type="button" class="quiet" title="Colours: ${THEMES[app.theme]}" aria-label="Colours: ${THEMES[app.theme]}" @click=${turnTheme}>
        ${themeIcon}<span class="wide-only">${app.theme === "system" ? "Auto" : app.theme === "light" ? "Light" : "Dark"}</span>
      </button>
      ${me
        ? html`<span class="who" title="Signed in as ${me.name}">${me.name} <span class="muted">${me.role}</span></span>
            ${me.session ? html`<button type="button" class="quiet" @click=${signOut}>Sign out</button>` : nothing}`
        : nothing}
    </header>
    ${app.offline ? html`<p class="offline" role="alert">${warning}<span>No connection to the service since ${clockTime(app.offline)}. What you see may be out of date; the page tries again by itself.</span></p>` : nothing}
    <main id="main" tabindex="-1" class=${route.name}>${body}</main>
    <div id="messages" role="status" aria-live="polite"></div>`;
}

function skip(event) {
  event.preventDefault();
  document.getElementById("main").focus();
}
