// Names of units and flags in the 3D view, and the health of damaged units. They are drawn in the same canvas: with software WebGL, a second canvas above it
// would cost more than the 3D picture itself. Invariant: each has the same size on the screen wherever it is; each text is drawn once.
import { LABEL, picture } from "./labels.js";

const BAR = 34, HIGH = 4, GAP = 5;  // pixels
const MOST_KEPT = 400;
const COLOURS = ["#5fd068", "#ffe066", "#ff6b5e"];  // of health: good, less, little

export class Tags {
  #texts = new Map();  // text, and pixels per unit: { material, wide }
  #shown = new Map();  // id: { name, back, part }
  #bars = new Map();   // colour: material

  constructor(THREE, scene) {
    Object.assign(this, { THREE, scene });
  }

  get size() { return this.#shown.size; }

  /** `tags`: [{ id, text, x, y, z, mine, health }]; `pixel`: the size of a pixel at distance 1; `through`: seen through solids. */
  paint(tags, pixel, through) {
    const left = new Set(this.#shown.keys());
    for (const tag of tags) left.delete(tag.id), this.#put(tag, pixel, through);
    for (const id of left) this.#drop(id);
  }

  #put({ id, text, x, y, z, mine = false, health }, pixel, through) {
    const { material, wide } = this.#text(text, mine), shown = this.#shown.get(id) ?? this.#make(id, material);
    material.depthTest = !through;
    shown.name.material = material;
    shown.name.scale.set(wide * pixel, LABEL * pixel, 1);
    for (const one of [shown.name, shown.back, shown.part]) one.position.set(x, y, z);
    shown.back.visible = shown.part.visible = health !== undefined;
    if (health === undefined) return;
    const length = Math.max(0.5, BAR * health);
    shown.part.material = this.#bar(health > 0.5 ? COLOURS[0] : health > 0.25 ? COLOURS[1] : COLOURS[2]);
    shown.back.material.depthTest = shown.part.material.depthTest = !through;
    shown.back.scale.set((BAR + 2) * pixel, HIGH * pixel, 1);
    shown.part.scale.set(length * pixel, (HIGH - 1) * pixel, 1);
    shown.part.center.set(BAR / 2 / length, 0);
  }

  #make(id, material) {
    const { Sprite } = this.THREE, made = { name: new Sprite(material), back: new Sprite(this.#bar("#0d1014")), part: new Sprite(this.#bar(COLOURS[0])) };
    made.name.center.set(0.5, -GAP / LABEL);
    made.back.center.set(0.5, 0);
    made.part.renderOrder = 1;
    this.scene.add(made.name, made.back, made.part);
    this.#shown.set(id, made);
    return made;
  }

  #drop(id) {
    const { name, back, part } = this.#shown.get(id);
    this.scene.remove(name, back, part);
    this.#shown.delete(id);
  }

  #bar(colour) {
    if (!this.#bars.has(colour)) this.#bars.set(colour, new this.THREE.SpriteMaterial({ color: colour, sizeAttenuation: false, depthWrite: false }));
    return this.#bars.get(colour);
  }

  #text(text, mine) {
    const key = `${devicePixelRatio}${mine ? "!" : " "}${text}`;
    if (!this.#texts.has(key)) {
      if (this.#texts.size > MOST_KEPT) this.#forget();
      const drawn = picture(text, mine), map = new this.THREE.CanvasTexture(drawn);
      map.minFilter = this.THREE.LinearFilter;
      map.generateMipmaps = false;
      const material = new this.THREE.SpriteMaterial({ map, sizeAttenuation: false, depthWrite: false });
      this.#texts.set(key, { material, wide: drawn.width / devicePixelRatio });
    }
    return this.#texts.get(key);
  }

  #forget() {
    for (const { material } of this.#texts.values()) material.map.dispose(), material.dispose();
    this.#texts.clear();
  }
}
