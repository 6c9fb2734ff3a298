// Names and health on a canvas: on the view from above, and over the 3D view. Law: each text is drawn once and then copied.

export const LABEL = 18;  // pixels: the height of a name
const FONT = "13px system-ui, sans-serif", BAR = 34;
const MOST_KEPT = 400;

export class Labels {
  #kept = new Map();  // text: a canvas

  constructor(canvas) {
    this.canvas = canvas;
    this.pen = canvas.getContext("2d");
  }

  clear() {
    this.pen.setTransform(1, 0, 0, 1, 0, 0);
    this.pen.clearRect(0, 0, this.canvas.width, this.canvas.height);
    this.pen.setTransform(devicePixelRatio, 0, 0, devicePixelRatio, 0, 0);
  }

  /** Above a point of the canvas. `health`: 0 to 1; undefined: not shown. */
  write(text, left, top, { mine = false, health } = {}) {
    const { pen } = this, picture = this.#picture(text, mine), ratio = devicePixelRatio;
    pen.drawImage(picture, left - picture.width / ratio / 2, top - LABEL, picture.width / ratio, picture.height / ratio);
    if (health === undefined) return;
    pen.fillStyle = "#0d1014";
    pen.fillRect(left - BAR / 2 - 1, top - 1, BAR + 2, 5);
    pen.fillStyle = health > 0.5 ? "#5fd068" : health > 0.25 ? "#ffe066" : "#ff6b5e";
    pen.fillRect(left - BAR / 2, top, BAR * health, 3);
  }

  #picture(text, mine) {
    const key = (mine ? "!" : " ") + text;
    if (!this.#kept.has(key)) {
      if (this.#kept.size > MOST_KEPT) this.#kept.clear();
      this.#kept.set(key, draw(text, mine));
    }
    return this.#kept.get(key);
  }
}

function draw(text, mine) {
  const canvas = document.createElement("canvas"), pen = canvas.getContext("2d"), font = mine ? `bold ${FONT}` : FONT;
  pen.font = font;
  canvas.width = Math.ceil((pen.measureText(text).width + 6) * devicePixelRatio);
  canvas.height = Math.ceil(LABEL * devicePixelRatio);
  pen.scale(devicePixelRatio, devicePixelRatio);
  Object.assign(pen, { font, textBaseline: "middle", lineWidth: 3, lineJoin: "round", strokeStyle: "#0d1014", fillStyle: mine ? "#ffffff" : "#f0f4f8" });
  pen.strokeText(text, 3, LABEL / 2);
  pen.fillText(text, 3, LABEL / 2);
  return canvas;
}
