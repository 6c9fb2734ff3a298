// Names on the view from above. Invariant: each text is drawn once and then copied.
import { penOf } from "./graphics.js";

export const LABEL = 18;  // pixels: the height of a name
const FONT = "13px system-ui, sans-serif";
const MOST_KEPT = 400;

export class Labels {
  #kept = new Map();  // text, and pixels per unit: a canvas

  constructor(pen) {
    this.pen = pen;
  }

  /** Writes a name above a point of the canvas. */
  write(text, left, top, mine) {
    const ratio = devicePixelRatio, key = `${ratio}${mine ? "!" : " "}${text}`;
    if (!this.#kept.has(key)) {
      if (this.#kept.size > MOST_KEPT) this.#kept.clear();
      this.#kept.set(key, picture(text, mine));
    }
    const drawn = this.#kept.get(key);
    this.pen.drawImage(drawn, left - drawn.width / ratio / 2, top - LABEL, drawn.width / ratio, drawn.height / ratio);
  }
}

/** A new canvas with a name. */
export function picture(text, mine) {
  const canvas = document.createElement("canvas"), pen = penOf(canvas), font = mine ? `bold ${FONT}` : FONT;
  pen.font = font;
  canvas.width = Math.ceil((pen.measureText(text).width + 6) * devicePixelRatio);
  canvas.height = Math.ceil(LABEL * devicePixelRatio);
  pen.scale(devicePixelRatio, devicePixelRatio);
  Object.assign(pen, { font, textBaseline: "middle", lineWidth: 3, lineJoin: "round", strokeStyle: "#0d1014", fillStyle: mine ? "#ffffff" : "#f0f4f8" });
  pen.strokeText(text, 3, LABEL / 2);
  pen.fillText(text, 3, LABEL / 2);
  return canvas;
}
