import { ahead } from "../format.js";

/** The duration until a time, `<count-down to="2026-03-01T10:00:00Z">`, each second anew. */
class Countdown extends HTMLElement {
  static observedAttributes = ["to"];

  connectedCallback() {
    this.show();
    this.timer = setInterval(() => this.show(), 1000);
  }

  disconnectedCallback() {
    clearInterval(this.timer);
  }

  attributeChangedCallback() {
    this.show();
  }

  show() {
    this.textContent = ahead(this.getAttribute("to"));
  }
}

customElements.define("count-down", Countdown);
