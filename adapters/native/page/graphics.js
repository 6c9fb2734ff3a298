// How this browser draws. Law: a 2D canvas is drawn by the graphics processor if there is one, and otherwise by the processor: by WebGL in
// software, a minimap took as long as the whole 3D picture.

let found = null;

/** WebGL, "fast": by a graphics processor; "slow": in software; "": none. */
export const webgl = () => found ??= find();

function find() {
  const pen = document.createElement("canvas").getContext("webgl");
  if (!pen) return "";
  const info = pen.getExtension("WEBGL_debug_renderer_info"), name = String(pen.getParameter(info ? info.UNMASKED_RENDERER_WEBGL : pen.RENDERER));
  pen.getExtension("WEBGL_lose_context")?.loseContext();
  return /swiftshader|llvmpipe|software|basic render/i.test(name) ? "slow" : "fast";
}

/** What draws on a 2D canvas. */
export const penOf = (canvas) => canvas.getContext("2d", { willReadFrequently: webgl() === "slow" });
