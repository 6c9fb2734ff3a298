// node write.mjs FILE zstd|none|plain: writes 500 messages on two topics with @mcap/core: in zstd chunks, in uncompressed
// chunks, or without chunks.
import { open } from "node:fs/promises";
import { core, zstd, FileHandleWritable } from "./modules.mjs";

const [file, how] = process.argv.slice(2);
await zstd.isLoaded;
const handle = await open(file, "w");
const writer = new core.McapWriter({
  writable: new FileHandleWritable(handle),
  useChunks: how !== "plain",
  chunkSize: 2000,
  compressChunk: how === "zstd" ? (data) => ({ compression: "zstd", compressedData: zstd.compress(data, 3) }) : undefined,
});
const text = new TextEncoder();
await writer.start({ profile: "", library: "interop" });
const schemaId = await writer.registerSchema({ name: "Text", encoding: "jsonschema", data: text.encode('{"type":"object"}') });
const channels = [];
for (const topic of ["/even", "/odd"]) {
  channels.push(await writer.registerChannel({ schemaId, topic, messageEncoding: "json", metadata: new Map([["a", "b"]]) }));
}
await writer.addMetadata({ name: "about", metadata: new Map([["by", "node"]]) });
for (let i = 0; i < 500; ++i) {
  const data = text.encode(JSON.stringify({ i, text: "x".repeat(i % 50) }));
  await writer.addMessage({ channelId: channels[i % 2], sequence: i, logTime: BigInt(i) * 1000n, publishTime: 1n, data });
  if (i === 250) {
    await writer.addAttachment({ name: "a", mediaType: "text/plain", logTime: 1n, createTime: 1n, data: text.encode("attached") });
  }
}
await writer.end();
await handle.close();
