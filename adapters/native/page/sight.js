// Whether one place can be seen from another. Law: pure; a pyramid hides as much as a box of 0.6 its width.

const PYRAMID = 0.6;
const STEPS = 48;

/** Whether a solid, { x, y, z, halfX, halfY, height, yaw, pyramid }, is between two places. */
export function hides(solid, from, to) {
  const cos = Math.cos(solid.yaw), sin = Math.sin(solid.yaw), part = solid.pyramid ? PYRAMID : 1;
  const turned = ({ x, y, z }) => [(x - solid.x) * cos + (y - solid.y) * sin, (y - solid.y) * cos - (x - solid.x) * sin, z];
  const a = turned(from), b = turned(to), low = [-solid.halfX * part, -solid.halfY * part, solid.z], high = [solid.halfX * part, solid.halfY * part, solid.z + solid.height * part];
  let enters = 0, leaves = 1;
  for (let axis = 0; axis < 3; ++axis) {
    const way = b[axis] - a[axis];
    if (Math.abs(way) < 1e-9) {
      if (a[axis] < low[axis] || a[axis] > high[axis]) return false;
      continue;
    }
    const [one, other] = [(low[axis] - a[axis]) / way, (high[axis] - a[axis]) / way];
    enters = Math.max(enters, Math.min(one, other));
    leaves = Math.min(leaves, Math.max(one, other));
  }
  return enters < leaves;
}

/** Whether blocks are between two places. `covers(x, y, z)`: whether a place is inside one. */
export function blocked(covers, from, to) {
  for (let i = 1; i < STEPS; ++i) {
    const part = i / STEPS;
    if (covers(from.x + (to.x - from.x) * part, from.y + (to.y - from.y) * part, from.z + (to.z - from.z) * part)) return true;
  }
  return false;
}
