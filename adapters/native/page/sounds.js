// Sounds of shots, hits, deaths and flags, made here from noise and tones. Invariant: no sound before the first key or touch; only a few
// at once; distant sounds are quieter; muting is remembered.

const KEPT = "entente-muted";
const MOST = 10, FAR = 400;  // FAR: metres from which a sound is inaudible
const MADE = {
  shot: { seconds: 0.22, from: 420, to: 90, noise: 0.5, gain: 0.3 },
  boom: { seconds: 0.9, from: 120, to: 28, noise: 1, gain: 0.7 },
  hit: { seconds: 0.12, from: 900, to: 300, noise: 0.3, gain: 0.3 },
  death: { seconds: 1.1, from: 300, to: 40, noise: 0.6, gain: 0.8 },
  flag: { seconds: 0.5, from: 520, to: 780, noise: 0, gain: 0.25 },
};

export class Sounds {
  #context = null;
  #noise = null;
  #playing = 0;
  heard = {};  // name: how often it was played

  constructor() {
    try { this.muted = localStorage.getItem(KEPT) === "yes"; } catch { this.muted = false; }
    for (const gesture of ["pointerdown", "keydown"]) addEventListener(gesture, () => this.#wake(), { capture: true });
  }

  /** "off" before the first gesture; then as the browser says. */
  get state() { return this.#context?.state ?? "off"; }

  mute(muted) {
    this.muted = muted;
    try { localStorage.setItem(KEPT, muted ? "yes" : "no"); } catch { /* not allowed here */ }
  }

  /** `left`: -1 to 1, where it is heard; `far`: metres. */
  play(name, far = 0, left = 0) {
    const made = MADE[name], context = this.#context;
    if (!context || this.muted || this.#playing >= MOST || far >= FAR || context.state !== "running") return;
    const { seconds, from, to, noise, gain } = made, now = context.currentTime, loud = gain * (1 - far / FAR) ** 2;
    const out = context.createGain(), side = context.createStereoPanner(), tone = context.createOscillator();
    out.gain.setValueAtTime(loud, now);
    out.gain.exponentialRampToValueAtTime(0.001, now + seconds);
    side.pan.value = Math.min(1, Math.max(-1, left));
    tone.type = noise ? "triangle" : "sine";
    tone.frequency.setValueAtTime(from, now);
    tone.frequency.exponentialRampToValueAtTime(to, now + seconds);
    tone.connect(out).connect(side).connect(context.destination);
    if (noise) this.#rush(noise, from, to, seconds, out);
    ++this.#playing;
    this.heard[name] = (this.heard[name] ?? 0) + 1;
    tone.onended = () => { --this.#playing, out.disconnect(), side.disconnect(); };
    tone.start(now);
    tone.stop(now + seconds);
  }

  #rush(part, from, to, seconds, out) {
    const context = this.#context, now = context.currentTime, source = context.createBufferSource();
    const low = context.createBiquadFilter(), gain = context.createGain();
    source.buffer = this.#noise;
    low.frequency.setValueAtTime(8 * from, now);
    low.frequency.exponentialRampToValueAtTime(4 * to, now + seconds);
    gain.gain.value = part;
    source.connect(low).connect(gain).connect(out);
    source.start(now);
    source.stop(now + seconds);
  }

  #wake() {
    if (!this.#context && globalThis.AudioContext) {
      this.#context = new AudioContext();
      this.#noise = this.#context.createBuffer(1, this.#context.sampleRate, this.#context.sampleRate);
      const samples = this.#noise.getChannelData(0);
      for (let i = 0; i < samples.length; ++i) samples[i] = 2 * Math.random() - 1;
    }
    if (this.#context?.state === "suspended") this.#context.resume();
  }
}
