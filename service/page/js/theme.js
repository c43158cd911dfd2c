/** The theme: light, dark, or that of the system; stored in the browser. */

const KEY = "plan-service.theme";
const CHOICES = ["system", "light", "dark"];
const dark = matchMedia("(prefers-color-scheme: dark)");
dark.addEventListener("change", apply);

export function theme() {
  const stored = localStorage.getItem(KEY);
  return CHOICES.includes(stored) ? stored : "system";
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

/** The value of a colour of the style sheet, for canvas drawings. */
export function colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}
