#include "proxy/program/clips/new_recording.h"

#include <filesystem>

#include "adapters/registry.h"
#include "adapters/wire/print.h"
#include "proxy/program/import/import.h"
#include "proxy/program/import/input.h"
#include "proxy/trace/lab.h"

namespace entente {
namespace {

constexpr const char* kSuffix = ".writing";
std::optional<GameDialect> game_dialect_of(const trace::Opened& opened) {
  const wire::Game* game = find_game(opened.game());
  if (game == nullptr) return std::nullopt;
  return GameDialect{game, find_dialect(*game, opened.dialect()).value_or(0)};
}

}  // namespace

NewRecording::NewRecording(std::string path, std::string part, RecordingFilter* filter)
    : path_(std::move(path)),
      part_(std::move(part)),
      filter_(filter),
      files_(
          {.begin = [this](relay::LinkId) { return Outcome<std::unique_ptr<trace::Recorder>>(std::move(recorder_)); },
           .wall_is_ahead = [] { return std::int64_t{0}; },  // times are those of the source, not of now
           .kills = {kill_message, tells_kill, kill_counter}},
          nullptr, false, wanted_) {}

Outcome<std::unique_ptr<NewRecording>> NewRecording::create(const std::string& path, RecordingFilter* filter,
                                                            std::vector<trace::mcap::Metadata> metadata) {
  auto sink = trace::FileSink::create(path, kSuffix);
  if (!sink) return sink.error();
  std::unique_ptr<NewRecording> made(new NewRecording(path, (*sink)->name(), filter));
  trace::RecorderOptions options{.on_full = trace::RecorderOptions::OnFull::kStop,
                                 .chunk_age = trace::kAnyAge,
                                 .keeps_part = false,
                                 .version = ENTENTE_VERSION};
  options.metadata = std::move(metadata);
  options.failed = [made = made.get()](const Error& error) { made->failed_ = error; };
  auto recorder = trace::Recorder::open(std::move(*sink), std::move(options));
  if (!recorder) return recorder.error();
  made->recorder_ = std::move(*recorder);
  return made;
}

NewRecording::~NewRecording() {
  std::error_code ignored;
  if (!complete_) std::filesystem::remove(part_, ignored);
}

Outcome<Done> NewRecording::start(WallTime time, const std::string& before) {
  return files_.start(time, filter_ == nullptr ? before : "");
}

/// A recording that lost its beginning has frames and words of links that it does not open.
void NewRecording::know(const trace::Recording::Event& event, std::uint32_t link) {
  if (event.closed != nullptr) return void(open_.erase(link));
  if (event.opened != nullptr) open_[link] = game_dialect_of(*event.opened);
  if (open_.size() > kMostConnections && !failed_) failed_ = Error{"more than 65536 sessions at once"};
  if (link == 0 || event.note != nullptr || !open_.try_emplace(link).second) return;
  trace::Opened opened;
  opened.set_link(link);
  opened.set_continues(true);
  files_.opened(event.time, opened, link);
}

void NewRecording::take(const trace::Recording::Event& event, std::uint32_t link) {
  if (filter_ == nullptr) return write(event, link);
  if (const auto* passed = filter_->pass(event)) write(*passed, link);
}

void NewRecording::world(WallTime time, const trace::Snapshot& world) {
  take({.time = time, .world = &world}, world.link());
}

void NewRecording::geometry(const trace::Geometry& geometry) { take({.geometry = &geometry}, 0); }

void NewRecording::note(WallTime time, std::string_view text) {
  trace::Note note;
  note.set_text(std::string(text));
  take({.time = time, .note = &note}, 0);
}

void NewRecording::write(const trace::Recording::Event& event, std::uint32_t link) {
  know(event, link);
  if (event.opened != nullptr) {
    trace::Opened opened = *event.opened;
    opened.set_link(link);
    files_.opened(event.time, opened, link);
  }
  if (event.frame != nullptr) frame(*event.frame, link, event.time);
  if (event.closed != nullptr) files_.closed(event.time, link, event.closed->reason());
  if (event.note != nullptr) files_.note(event.time, link, event.note->text(), event.note->bytes_lost());
  if (event.geometry != nullptr) files_.geometry(0, *event.geometry);
  if (event.world != nullptr) {
    trace::Snapshot world = *event.world;
    world.set_link(link);
    files_.world(event.time, world);
  }
  if (!event.word) return;
  const bool fact = event.word->fact != nullptr;
  const google::protobuf::MessageLite& word =
      fact ? static_cast<const google::protobuf::MessageLite&>(*event.word->fact) : *event.word->intent;
  word_.resize(word.ByteSizeLong());
  word.SerializeWithCachedSizesToArray(word_.data());
  files_.word(event.time, link, fact ? trace::WordKind::kFact : trace::WordKind::kIntent, word_);
}

/// The summary of a recording has the names of its players, also of those who play through a relay.
void NewRecording::name_player(const trace::Frame& frame, std::uint32_t link) {
  const auto& game_dialect = open_[link];
  if (!game_dialect || frame.way() != trace::TO_SERVER || frame.name().empty()) return;
  wire::Codec& codec = codecs_.of(*game_dialect);
  const auto lane = frame.lane() == trace::DATAGRAM ? wire::Lane::kDatagram : wire::Lane::kStream;
  const wire::Frame message{wire::Way::kToServer, lane, wire::Stage::kPlay, as_bytes(frame.data())};
  const wire::Row* row = codec.find(message);
  if (row == nullptr || row->name != frame.name()) return;
  const auto [known, anew] = name_fields_.try_emplace(row);
  if (anew) known->second = player_name_field(*game_dialect->game, *row);
  if (known->second.empty() || !codec.decode(message)) return;
  const std::string name = wire::text_of(codec, known->second);
  if (!name.empty()) files_.player(link, name);
}

void NewRecording::frame(const trace::Frame& frame, std::uint32_t link, WallTime time) {
  if (trace::was_passed_on(frame)) name_player(frame, link);
  trace::FrameView view{link, frame.way(), frame.lane(), as_bytes(frame.data()), frame.name(), frame.raw()};
  view.delivery = frame.delivery();
  view.channel = static_cast<std::uint8_t>(frame.channel());
  if (frame.has_seconds()) view.seconds = frame.seconds();
  view.missing = {frame.frames_missing(), frame.bytes_missing()};
  view.lab = frame.lab();
  view.held_us = frame.held_us();
  files_.frame(time, view);
}

Outcome<Done> NewRecording::finish(WallTime time) {
  files_.tick(time + 2 * trace::kAnyAge);  // writes what waits
  if (failed_) return Error{path_ + " is not written: " + failed_->text};
  if (const auto lost = files_.totals().lost; lost.frames != 0 || lost.bytes != 0)
    return Error{path_ + " is not written: it has no room for " + std::to_string(lost.frames) + " frames and " +
                 std::to_string(lost.bytes) + " bytes"};
  const auto closed = files_.close(time);
  complete_ = closed.ok();
  return complete_ ? closed : Error{path_ + " is not written: " + (failed_ ? *failed_ : closed.error()).text};
}

Outcome<std::unique_ptr<trace::Recording>> open_recording(const std::string& path) {
  const auto format = import_format(path);
  if (!format) return format.error();
  if (*format != ImportFormat::kMcap)
    return Error{path + " is not a recording (MCAP); `entente convert` makes one from a capture"};
  return open_input(path);
}

std::uint32_t link_of(const trace::Recording::Event& event) {
  if (event.opened != nullptr) return event.opened->link();
  if (event.frame != nullptr) return event.frame->link();
  if (event.closed != nullptr) return event.closed->link();
  if (event.note != nullptr) return event.note->link();
  if (event.world != nullptr) return event.world->link();
  return event.word ? event.word->link : 0;
}

std::string name_of_file(const std::string& path) { return std::filesystem::path(path).filename().string(); }

}  // namespace entente
