// Flags and other things on the field in words. Invariant: pure.
import { teamName } from "./colours.js";

/** "red flag" for R*; else the flag's short name in its game, or what it gives. */
export function flagText({ code = "", team, gives = "" }) {
  const colour = teamName(team);
  if (code.endsWith("*") && colour) return `${colour} flag`;
  return code || gives.toLowerCase();
}
