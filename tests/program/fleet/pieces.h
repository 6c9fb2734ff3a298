// Recordings in the stream of a fleet, as its nodes store them.
#pragma once

#include <doctest/doctest.h>

#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "schema/fleet.pb.h"
#include "tests/fleet/station.h"
#include "tests/program/folder.h"
#include "tests/support/nats_server.h"

namespace entente {

/// A configuration for `archive` and `replay`.
inline std::string config_in(const Folder& folder, const NatsServer& nats, const std::string& more = "") {
  return folder.write("files.toml", "[fleet]\nnode = 'files'\nnats = ['" + nats.url() + "']\n" + more);
}

/// Stores pieces as a recorder does.
class Pieces {
 public:
  explicit Pieces(const NatsServer& nats, const std::string& user = "")
      : bus_({.servers = {nats.url()}, .client = "pieces", .user = user, .password = user}), its_(bus_) {
    REQUIRE(its_.connects());
    fleet::StreamOptions stream;
    stream.name = names_.recordings();
    stream.subjects = {names_.recording("*", "*")};
    is_stored([&](auto done) { its_.line->open_stream(stream, done); });
  }
  void store(const std::string& node, const std::string& name, std::size_t offset, const std::string& bytes,
             bool last = false, bool torn = false) {
    bus::RecordingPiece piece;
    piece.set_file("field.mcap");
    piece.set_run(1);
    piece.set_offset(offset);
    piece.set_bytes(bytes);
    piece.set_time(++time_);
    piece.set_last(last);
    piece.set_torn(torn);
    store(node, name, piece);
  }
  /// Deletes the message with this number in the stream.
  void lose(std::uint64_t number) {
    const std::string which = R"({"seq":)" + std::to_string(number) + "}";
    std::optional<std::string> answer;
    its_.line->ask("$JS.API.STREAM.MSG.DELETE." + names_.recordings(), as_bytes(which), 10'000, 1,
                   [&](const auto& answers) { answer = answers.empty() ? "" : as_text(answers.front().bytes); });
    REQUIRE(its_.until([&] { return answer.has_value(); }));
    REQUIRE_MESSAGE(answer->find("\"success\":true") != std::string::npos, *answer);
  }
  void store(const std::string& node, const std::string& name, const bus::RecordingPiece& piece) {
    store_bytes(node, name, piece.SerializeAsString());
  }
  /// Bytes that may be no piece.
  void store_bytes(const std::string& node, const std::string& name, const std::string& text) {
    is_stored([&](auto done) { its_.line->store(names_.recording(node, name), as_bytes(text), "", done); });
  }

 private:
  void is_stored(const std::function<void(fleet::BusLine::Stored)>& order) {
    std::optional<Outcome<std::uint64_t>> stored;
    order([&](Outcome<std::uint64_t> outcome) { stored = std::move(outcome); });
    REQUIRE(its_.until([&] { return stored.has_value(); }));
    REQUIRE(stored->ok());
  }

  const fleet::Subjects names_{"entente"};
  fleet::Bus bus_;
  fleet::testing::Station its_;
  WallTime time_ = 1'000;
};

}  // namespace entente
