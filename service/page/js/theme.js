/** Light, dark, or as the system is; kept in this browser. */

const KEY = "plan-service.theme";
const CHOICES = ["system", "light", "dark"];
const dark = matchMedia("(prefers-color-scheme: dark)");
dark.addEventListener("change", apply);

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
  const ofSystem = dark.matches ? "dark" : "light";
  document.documentElement.dataset.theme = choice === "system" ? ofSystem : choice;
}

/** The value of a colour of the sheet, for what is drawn on a canvas. */
export function colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}
