// Real traffic of OgarII: every message decodes to the last byte and encodes to the same bytes, and we refuse
// the messages for which the server closed the connection.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <set>

#include "adapters/ogar/ogar.h"
#include "adapters/wire/dissect.h"
#include "adapters/wire/print.h"
#include "tests/support/paths.h"
#include "tests/support/recorded.h"

namespace entente::captures_test {
namespace {

using testing::json_value;
using wire::Frame, wire::Lane, wire::Way;

/// One connection of a capture; its first message names its dialect, or else it is `fallback`.
class Connection final : public wire::DissectorSink {
 public:
  Connection(Bytes first, std::size_t fallback)
      : dialect_(ogar::game().named_by_client(first).value_or(fallback)),
        codec_(ogar::game().codec(dialect_)),
        dissector_(ogar::game(), dialect_) {}

  void message(Way way, Bytes bytes) { dissector_.stream(way, bytes, *this); }

  std::size_t exact = 0, opaque = 0;
  std::string refused, wrong;  ///< "what field", one line each

 private:
  void frame(const Frame& frame) override {
    const auto row = codec_->decode(frame);
    if (!row) return refuse(frame.way, row.error());
    Buffer again;
    codec_->encode(again);
    if (same(again, frame.bytes))
      ++exact;
    else
      wrong += to_hex(frame.bytes) + " became " + to_hex(again) + "\n";
    if (wire::opaque_bytes(*codec_) > 0) ++opaque;
  }
  void raw(Way way, Lane, Bytes, const Fault* why) override { refuse(way, *why); }
  void refuse(Way way, const Fault& fault) {
    (way == Way::kToServer ? refused : wrong) += std::string(fault.what) + " " + fault.field + "\n";
  }

  std::size_t dialect_;
  std::unique_ptr<wire::Codec> codec_;
  wire::Dissector dissector_;
};

using Connections = std::map<std::string, Connection>;

Connections read(const std::filesystem::path& file, std::size_t fallback) {
  Connections all;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    const std::string dir = json_value(line, "dir");
    if (dir != "c2s" && dir != "s2c") continue;
    const Buffer bytes = from_hex(json_value(line, "hex"));
    auto& connection = all.try_emplace(json_value(line, "conn"), bytes, fallback).first->second;
    connection.message(dir == "c2s" ? Way::kToServer : Way::kToClient, bytes);
  }
  return all;
}

/// The folder of the captures: the one in the tree, or one named in the environment.
std::filesystem::path captures() {
  const char* elsewhere = std::getenv("ENTENTE_OGAR_CAPTURES");
  return elsewhere ? elsewhere : testing::source_dir() + "/tests/traces/ogar";
}

TEST_CASE("ogar: real sessions decode to the last byte and encode to the same bytes") {
  std::size_t exact = 0;
  for (const auto& entry : std::filesystem::directory_iterator(captures())) {
    if (entry.path().extension() != ".jsonl" || entry.path().stem() == "m3-18-kicks") continue;
    for (const auto& [name, connection] : read(entry.path(), 0)) {
      const std::string shown = entry.path().filename().string() + " " + name;
      INFO(shown);
      CHECK(connection.wrong == "");
      CHECK(connection.refused == "");
      CHECK(connection.opaque == 0);
      exact += connection.exact;
    }
  }
  CHECK(exact > 1500);
  MESSAGE(exact, " messages");
}

TEST_CASE("ogar: messages for which OgarII closes the connection are refused; those that it tolerates are kept") {
  const std::map<std::string, std::string> kicked = {
      {"k01-short-first", "message too short version\n"},
      {"k02-unknown-first", "value out of range opcode\n"},
      {"k03-rev2", "value out of range version\n"},
      {"k04-rev4", "value out of range version\n"},
      {"k05-hello-twice", "unknown message code\n"},
      {"k06-empty", "unknown message code\n"},
      {"k07-513-bytes", "message too large \n"},
      {"k08-opcode-0", "unknown message code\n"},
      {"k09-opcode-4", "unknown message code\n"},
      {"k10-update-11-bytes", "message too short flags\n"},
      {"k11-name-flag-no-bytes", "message too short name\n"},
      {"k12-chat-flag-no-count", "message too short chat\n"},
      {"k13-chat-count-too-big", "count exceeds the bytes left chat\n"},
  };
  const auto all = read(testing::source_dir() + "/tests/traces/ogar/m3-18-kicks.jsonl", 0);
  CHECK(all.size() == kicked.size() + 4);
  for (const auto& [name, connection] : all) {
    const std::string shown = name;
    INFO(shown);
    CHECK(connection.wrong == "");
    CHECK(connection.refused == (kicked.contains(name) ? kicked.at(name) : ""));
  }
}

}  // namespace
}  // namespace entente::captures_test
