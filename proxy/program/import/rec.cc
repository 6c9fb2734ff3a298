#include "proxy/program/import/rec.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "adapters/bzflag/bzflag.h"
#include "adapters/bzflag/rec/rec.h"
#include "proxy/program/base/counted.h"
#include "proxy/program/import/input.h"

namespace entente {
namespace {

using bzflag::RecReader;

constexpr std::uintmax_t kLargestRec = std::uintmax_t{1} << 30U;
constexpr std::uint8_t kFirstViewer = 200;  // the id that a replaying bzfs gives its first viewer
constexpr std::size_t kWorldPiece = 1016;

Outcome<Buffer> whole(const std::string& path, const std::string& at) {
  std::error_code problem;
  const auto size = std::filesystem::file_size(at, problem);
  if (problem) return Error{path + ": " + problem.message()};
  if (size > kLargestRec) return Error{path + ": larger than 1 GiB: not a bzfs recording"};
  Buffer bytes(size);
  std::ifstream file(at, std::ios::binary);
  if (!file.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(size)))
    return Error{path + ": " + std::strerror(errno)};
  return bytes;
}

/// Passes a server's messages to a sink.
class Server {
 public:
  Server(ImportSink& sink, WallTime start) : sink_(sink), time_(start) {}

  void at(WallTime time) { time_ = time; }
  void say(Bytes bytes) { sink_.bytes({0, wire::Way::kToClient, wire::Lane::kStream, time_, bytes}); }
  void say(bzflag::Code code, Bytes payload) {
    frame_.clear();
    for (const std::size_t number : {payload.size(), std::size_t{code}}) {
      frame_.push_back(static_cast<std::uint8_t>(number >> 8U));
      frame_.push_back(static_cast<std::uint8_t>(number));
    }
    append(frame_, payload);
    say(frame_);
  }

 private:
  ImportSink& sink_;
  WallTime time_;
  Buffer frame_;
};

void say_settings(Server& server, const RecReader& file) {
  Buffer settings(file.header().settings.begin(), file.header().settings.end());
  append(settings, file.header().more_settings);
  const std::size_t size = static_cast<std::size_t>(settings[0] << 8U | settings[1]) + 4;
  const bool is_one = settings[2] == 'g' && settings[3] == 's' && size <= settings.size();
  if (is_one) server.say(Bytes(settings).first(size));
}

void say_world(Server& server, Bytes world) {
  while (!world.empty()) {
    const Bytes piece = world.first(std::min(kWorldPiece, world.size()));
    world = world.subspan(piece.size());
    Buffer payload;
    for (const unsigned shift : {24U, 16U, 8U, 0U}) payload.push_back(static_cast<std::uint8_t>(world.size() >> shift));
    append(payload, piece);
    server.say(bzflag::WorldChunk::kCode, payload);
  }
}

void say_header(Server& server, const RecReader& file) {
  const auto& header = file.header();
  Buffer greeting(as_bytes(header.protocol.view()).begin(), as_bytes(header.protocol.view()).end());
  greeting.push_back(kFirstViewer);
  server.say(greeting);
  say_settings(server, file);
  const std::string hash = std::string(header.hash.view()) + '\0';
  server.say(bzflag::WorldHash::kCode, as_bytes(hash));
  say_world(server, file.world());
}

WallTime nanoseconds(std::int64_t microseconds) { return static_cast<WallTime>(microseconds) * 1000; }

Error damaged(const std::string& path, const Fault& fault) {
  return {path + ": byte " + std::to_string(fault.offset) + ": " + fault.what + " (" + fault.field + ")"};
}

/// Chooses the packets that bzfs plays to a viewer from the beginning: the first snapshot, and every broadcast.
class Shown {
 public:
  /// `all`: every packet.
  explicit Shown(bool all) : all_(all) {}
  bool shows(const bzflag::RecPacket& packet) {
    if (packet.mode == bzflag::kRecUpdate) return ++snapshots_, false;
    if (all_ || packet.mode == bzflag::kRecReal) return true;
    if (packet.mode == bzflag::kRecState) return snapshots_ <= 1;  // a later one repeats what is known
    return ++hidden_, false;
  }
  std::uint64_t hidden() const { return hidden_; }

 private:
  const bool all_;
  std::uint64_t snapshots_ = 0, hidden_ = 0;
};

Outcome<Done> say_packets(Server& server, RecReader& file, const std::string& path, bool all, ImportSink& sink) {
  Shown shown(all);
  Outcome<Done> done = Done{};
  while (!sink.enough()) {
    const auto packet = file.next();
    if (!packet) done = damaged(path, packet.error());
    if (!packet || !*packet) break;
    const bzflag::RecPacket& head = (*packet)->head;
    sink.read_to(file.position());
    server.at(nanoseconds(head.time));
    if (shown.shows(head)) server.say(head.code, (*packet)->payload);
  }
  if (shown.hidden() != 0)
    sink.remark(path + ": " + counted(shown.hidden(), "hidden message") +
                " left out (private chat, commands, addresses)");
  return done;
}

/// The time of the first packet.
WallTime start_of(RecReader file) {
  const auto first = file.next();
  return first && *first ? nanoseconds((*first)->head.time) : 0;
}

}  // namespace

Outcome<Done> import_rec(const std::string& path, const ImportOptions& options, ImportSink& sink) {
  const auto at = input_path(path);
  if (!at) return at.error();
  const auto bytes = whole(path, *at);
  if (!bytes) return bytes.error();
  auto file = RecReader::open(*bytes);
  if (!file) return damaged(path, file.error());
  const std::string dialect(bzflag::game().dialects()[file->dialect()].name);
  const WallTime start = start_of(*file);
  sink.opened(0, {path, std::string(bzflag::game().name()), dialect}, start);
  Server server(sink, start);
  say_header(server, *file);
  auto done = say_packets(server, *file, path, options.hidden, sink);
  sink.connection_over(0);
  return done;
}

}  // namespace entente
