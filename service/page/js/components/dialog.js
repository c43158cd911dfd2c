import { html, render } from "../lit.js";
import { close as closeIcon } from "./icons.js";

/**
 * Open a modal dialog; Escape closes it.
 * @param {string} title
 * @param {(close: (value?: unknown) => void, again: () => void) => unknown} body its content; `again` redraws it
 * @returns {Promise<unknown>} the value passed to `close`; undefined if it was cancelled
 */
export function openDialog(title, body, { wide = false } = {}) {
  const before = document.activeElement;
  const element = document.createElement("dialog");
  element.className = wide ? "dialog wide" : "dialog";
  element.setAttribute("aria-labelledby", "dialog-title");
  document.body.append(element);
  return new Promise((resolve) => {
    let value;
    const end = (result) => {
      value = result;
      element.close();
    };
    const draw = () =>
      render(
        html`<div class="dialog-head">
            <h2 id="dialog-title">${title}</h2>
            <button type="button" class="quiet square" aria-label="Close" @click=${() => end()}>${closeIcon}</button>
          </div>
          <div class="dialog-body">${body(end, draw)}</div>`,
        element,
      );
    // A dialog belongs to its page: the next page has none.
    const leave = () => end();
    window.addEventListener("hashchange", leave, { once: true });
    element.addEventListener("close", () => {
      window.removeEventListener("hashchange", leave);
      element.remove();
      before?.focus?.();
      resolve(value);
    });
    draw();
    element.showModal();
    element.querySelector("[autofocus], input, textarea, select")?.focus();
  });
}

/** Ask for confirmation of an action; resolves to true if confirmed. */
export function confirm(title, text, action, { danger = false } = {}) {
  return openDialog(
    title,
    (end) => html`<p>${text}</p>
      <div class="actions">
        <button type="button" class="quiet" @click=${() => end(false)}>Cancel</button>
        <button type="button" class=${danger ? "danger" : "primary"} autofocus @click=${() => end(true)}>
          ${action}
        </button>
      </div>`,
  );
}

/** Show a notification for some seconds, also to screen readers. */
export function tell(message, kind = "info") {
  const place = document.getElementById("messages");
  if (!place) return;
  const item = document.createElement("div");
  item.className = `message ${kind}`;
  item.textContent = message;
  place.append(item);
  setTimeout(() => item.remove(), 6000);
}

