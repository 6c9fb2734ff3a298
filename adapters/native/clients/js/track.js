// Where a unit is shown between two facts: it continues at its velocity. When a new place arrives, the error is corrected
// over a short time, so that units do not jump. Invariant: a unit without a velocity glides for as long as its last move took; if it
// is more than two tiles behind, it jumps.

const MOST_BEHIND = 50;  // metres
const BELIEVED = 1000;   // ms for which a velocity is followed
const MENDED = 100;      // ms in which a moving unit's error is corrected

const HALF_TURN = Math.PI;
/** In [-pi, pi). */
export const wrap = (angle) => angle - 2 * HALF_TURN * Math.floor((angle + HALF_TURN) / (2 * HALF_TURN));

const clamp = (least, value, most) => Math.min(most, Math.max(least, value));

export class Track {
  /** Times are the page's, in ms; `told` is the time of the pose. */
  constructor(pose, told) {
    this.jump(pose, told);
  }

  jump(pose, told) {
    Object.assign(this, { pose, told, since: told, over: 1, off: { x: 0, y: 0, z: 0, yaw: 0 } });
  }

  tell(pose, told, now) {
    const seen = this.at(now);
    const every = told - this.told;
    this.jump(pose, told);
    const is = this.at(now);
    if (Math.hypot(seen.x - is.x, seen.y - is.y) > MOST_BEHIND) return;
    this.off = { x: seen.x - is.x, y: seen.y - is.y, z: seen.z - is.z, yaw: wrap(seen.yaw - is.yaw) };
    this.since = now;
    this.over = pose.vx || pose.vy ? MENDED : clamp(50, every, 1000);
  }

  at(now) {
    const { pose, off } = this;
    const gone = clamp(0, now - this.told, BELIEVED) / 1000;
    const left = clamp(0, 1 - (now - this.since) / this.over, 1);
    return {
      x: pose.x + pose.vx * gone + off.x * left,
      y: pose.y + pose.vy * gone + off.y * left,
      z: (pose.z ?? 0) + (pose.vz ?? 0) * gone + off.z * left,
      yaw: pose.yaw + pose.yawRate * gone + off.yaw * left,
      pitch: pose.pitch ?? 0,
    };
  }
}
