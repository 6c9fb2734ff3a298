// The modules, from the folder that ENTENTE_INTEROP names, or else from this one.
import { createRequire } from "node:module";

const require = createRequire(process.env.ENTENTE_INTEROP ? `${process.env.ENTENTE_INTEROP}/package.json` : import.meta.url);

export const core = require("@mcap/core");
export const support = require("@mcap/support");
export const { FileHandleReadable, FileHandleWritable } = require("@mcap/nodejs");
export const zstd = require("@foxglove/wasm-zstd");
export const protobuf = require("protobufjs");
