// Small MCAP files for tests, made by our writer or by hand.
#pragma once

#include <doctest/doctest.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "proxy/trace/fields.h"
#include "proxy/trace/reader.h"
#include "proxy/trace/writer.h"
#include "tests/support/memory_file.h"

namespace entente::trace {

/// What a test compares: channel, sequence, time, and the data as text.
struct Said {
  std::uint16_t channel = 0;
  std::uint32_t sequence = 0;
  WallTime time = 0;
  std::string data;
  bool operator==(const Said&) const = default;
};

inline doctest::String toString(const Said& said) {  // NOLINT: the name that doctest looks for
  return ("#" + std::to_string(said.sequence) + " on " + std::to_string(said.channel) + " \"" + said.data + "\"")
      .c_str();
}

/// All messages that a reader returns until its end or an error ("" at the end).
struct Heard {
  std::vector<Said> messages;
  std::string error;
  mcap::Progress progress;
};

inline Said said(const mcap::Message& message) {
  return {message.channel, message.sequence, message.log_time, std::string(as_text(message.data))};
}

inline Heard hear(mcap::Reader& reader) {
  Heard heard;
  for (;;) {
    auto message = reader.next();
    if (!message.ok()) heard.error = message.error().text;
    if (!message.ok() || !*message) break;
    heard.messages.push_back(said(**message));
  }
  heard.progress = reader.progress();
  return heard;
}

inline Heard hear(Bytes file, mcap::Limits limits = {}) {
  testing::MemorySource source(file);
  mcap::Reader reader(source, limits);
  return hear(reader);
}

inline bool ok(const Outcome<Done>& done) {
  if (!done.ok()) MESSAGE(done.error().text);
  return done.ok();
}

/// A file of `chunks` chunks with `each` messages on two channels, and where each chunk's record ends in it.
struct Sample {
  Buffer file;
  std::vector<Said> messages;
  std::vector<std::size_t> chunk_ends;  // of the records, without their indexes
  std::size_t each = 0;
};

inline Sample sample(std::size_t chunks, std::size_t each, bool compress, bool index_messages = true) {
  Sample made;
  made.each = each;
  testing::MemorySink sink(made.file);
  mcap::Writer writer(sink, {.compress = compress, .index_messages = index_messages});
  REQUIRE(ok(writer.begin()));
  REQUIRE(ok(writer.define(mcap::Schema{1, "S", "text", {1, 2, 3}})));
  REQUIRE(ok(writer.define(mcap::Channel{1, 1, "/a", "text", {{"k", "v"}}})));
  REQUIRE(ok(writer.define(mcap::Channel{7, 0, "/b", "text", {}})));
  std::uint32_t sequence = 0;
  for (std::size_t c = 0; c < chunks; ++c) {
    for (std::size_t m = 0; m < each; ++m) {
      ++sequence;
      Said one{static_cast<std::uint16_t>(m % 2 ? 7 : 1), sequence, WallTime{1000} * sequence,
               "message " + std::to_string(sequence)};
      writer.message({one.channel, one.sequence, one.time, one.time, as_bytes(one.data)});
      made.messages.push_back(one);
    }
    const auto start = made.file.size();
    REQUIRE(ok(writer.end_chunk()));
    const auto length = mcap::FieldReader(Bytes(made.file).subspan(start + 1)).number<std::uint64_t>("length");
    made.chunk_ends.push_back(start + mcap::kRecordHead + length);
  }
  REQUIRE(ok(writer.add(mcap::Metadata{"about", {{"by", "test"}}})));
  REQUIRE(ok(writer.end()));
  return made;
}

/// A file by hand: magic, header, then what `fill` appends (no checksums, no end).
inline Buffer by_hand(const std::function<void(Buffer&)>& fill) {
  Buffer file(mcap::kMagic.begin(), mcap::kMagic.end());
  put(file, mcap::Header{"", "by hand"});
  fill(file);
  return file;
}

inline void put_message(Buffer& out, std::uint16_t channel, std::uint32_t sequence, WallTime time,
                        std::string_view data) {
  mcap::put_record(out, mcap::Op::kMessage, [&] {
    mcap::put(out, channel), mcap::put(out, sequence), mcap::put(out, time), mcap::put(out, time);
    append(out, as_bytes(data));
  });
}

/// A footer without a checksum, and the magic.
inline void put_footer(Buffer& out) {
  mcap::put_record(out, mcap::Op::kFooter, [&] {
    mcap::put(out, std::uint64_t{0}), mcap::put(out, std::uint64_t{0}), mcap::put(out, std::uint32_t{0});
  });
  out.insert(out.end(), mcap::kMagic.begin(), mcap::kMagic.end());
}

/// A data end and a footer without checksums, and the magic.
inline void put_end(Buffer& out) {
  mcap::put_record(out, mcap::Op::kDataEnd, [&] { mcap::put(out, std::uint32_t{0}); });
  put_footer(out);
}

}  // namespace entente::trace
