/** Light, dark, or as the system is; kept in this browser. */

const KEY = "plan-service.theme";
const CHOICES = ["system", "light", "dark"];

export function theme() {
  const kept = localStorage.getItem(KEY);
  return CHOICES.includes(kept) ? kept : "system";
}

export function setTheme(choice) {
  localStorage.setItem(KEY, choice);
  apply();
}

export function nextTheme() {
  return CHOICES[(CHOICES.indexOf(theme()) + 1) % CHOICES.length];
}

export function apply() {
  const choice = theme();
  if (choice === "system") document.documentElement.removeAttribute("data-theme");
  else document.documentElement.dataset.theme = choice;
}

/** The value of a colour of the sheet, for what is drawn on a canvas. */
export function colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}
