// A link to a moment of a recording, and to a player: "#at=1:20&follow=anna". It uses no element of the page.
import { timeText } from "./playback.js";

/** { at, follow } of a link's fragment: seconds, and a name or "". Null if it names no moment. */
export function momentIn(fragment) {
  const wish = new URLSearchParams(fragment.replace(/^#/, "")), time = /^(?:(\d{1,4}):)?(?:(\d{1,4}):)?(\d{1,7}(?:\.\d{1,6})?)$/.exec(wish.get("at") ?? "");
  if (!time) return null;
  const [first, second, last] = [time[1], time[2], time[3]].map((part) => Number(part ?? 0));
  return { at: (time[2] === undefined ? first * 60 : first * 3600 + second * 60) + last, follow: (wish.get("follow") ?? "").slice(0, 64) };
}

export const fragmentOf = (seconds, name = "") => `#at=${timeText(seconds)}${name ? `&follow=${encodeURIComponent(name)}` : ""}`;
