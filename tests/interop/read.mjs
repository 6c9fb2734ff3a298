// node read.mjs FILE [--stream]: prints a recording as @mcap/core reads it: header, statistics and metadata, then each
// message on a line, first by index (which needs message indexes), then as a stream. With --stream: only the latter.
// Exit code 1 if anything is wrong.
import { open, readFile } from "node:fs/promises";
import { core, support, FileHandleReadable } from "./modules.mjs";

const file = process.argv[2];
const decompressHandlers = await support.loadDecompressHandlers();

class Decoder {
  types = new Map();
  line(message, channel, schema) {
    if (!this.types.has(schema.id)) {
      this.types.set(schema.id, support.protobufFromBinaryDescriptor(schema.data).lookupType(schema.name));
    }
    const type = this.types.get(schema.id);
    const fields = type.toObject(type.decode(message.data), { longs: String, enums: String, bytes: String });
    return `${message.logTime} ${channel.topic} ${message.sequence} ${schema.name} ${JSON.stringify(fields)}`;
  }
}

// By index: times, topics, statistics, metadata.
async function read_by_index() {
  const handle = await open(file, "r");
  const indexed = await core.McapIndexedReader.Initialize({ readable: new FileHandleReadable(handle), decompressHandlers });
  const decoder = new Decoder();
  const by_index = async (title, filter) => {
    console.log(title);
    for await (const message of indexed.readMessages({ ...filter, validateCrcs: true })) {
      const channel = indexed.channelsById.get(message.channelId);
      console.log(decoder.line(message, channel, indexed.schemasById.get(channel.schemaId)));
    }
  };
  console.log(`header ${JSON.stringify(indexed.header.profile)} ${JSON.stringify(indexed.header.library)}`);
  console.log(`statistics ${indexed.statistics.messageCount} messages, ${indexed.statistics.chunkCount} chunks, ` +
              `${indexed.statistics.messageStartTime} to ${indexed.statistics.messageEndTime}`);
  for await (const metadata of indexed.readMetadata()) {
    console.log(`metadata ${metadata.name} ${JSON.stringify(Object.fromEntries(metadata.metadata))}`);
  }
  await by_index("all", {});
  await by_index("notes", { topics: ["/note"] });
  await by_index("window", { startTime: 3000n, endTime: 5000n });
  await handle.close();
}
if (process.argv[3] !== "--stream") await read_by_index();

// As a stream, in the file's order.
console.log("stream");
const stream = new core.McapStreamReader({ validateCrcs: true, decompressHandlers });
stream.append(await readFile(file));
const channels = new Map(), schemas = new Map();
const streamed = new Decoder();
for (let record; (record = stream.nextRecord()); ) {
  if (record.type === "Schema") schemas.set(record.id, record);
  if (record.type === "Channel") channels.set(record.id, record);
  if (record.type === "Message") {
    const channel = channels.get(record.channelId);
    console.log(streamed.line(record, channel, schemas.get(channel.schemaId)));
  }
}
if (!stream.done()) throw new Error("the stream reader has not reached the end");
