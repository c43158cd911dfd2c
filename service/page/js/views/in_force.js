import { confirm } from "../components/dialog.js";

/** Ask before a version is put into force, which does not change the current run. */
export function confirmInForce(number) {
  const text = `The next start runs version ${number}. It restores the state, or is refused with the reason. The current run continues; to move its state now, use Upgrade.`;
  return confirm(`Put version ${number} into force?`, text, "Put into force");
}
