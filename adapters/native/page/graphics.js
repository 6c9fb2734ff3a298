// Whether this browser has WebGL, and what draws its 2D canvases. Invariant: if WebGL runs in software, the CPU draws 2D canvases. With software
// WebGL, drawing the minimap took as long as the whole 3D picture.

let found = null;

/** "fast": WebGL runs on a graphics processor; "slow": in software; "": there is none. */
export const webgl = () => found ??= find();

function find() {
  const pen = document.createElement("canvas").getContext("webgl");
  if (!pen) return "";
  const info = pen.getExtension("WEBGL_debug_renderer_info"), name = String(pen.getParameter(info ? info.UNMASKED_RENDERER_WEBGL : pen.RENDERER));
  pen.getExtension("WEBGL_lose_context")?.loseContext();
  return /swiftshader|llvmpipe|software|basic render/i.test(name) ? "slow" : "fast";
}

/** The 2D context of a canvas. */
export const penOf = (canvas) => canvas.getContext("2d", { willReadFrequently: webgl() === "slow" });
