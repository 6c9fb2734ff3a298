#include "proxy/program/redact/redactor.h"

#include "proxy/program/clips/new_recording.h"
#include "proxy/relay/tap/room_words.h"
#include "proxy/trace/lab.h"

namespace entente {
namespace {

constexpr std::size_t kMostGeometries = 100'000, kMostReasons = 100;

}  // namespace

void Redactor::learned(WallTime from) {
  worlds_.learned();
  frames_.rewind();
  censor_.count_anew();
  left_out_.clear();
  missing_.clear();
  from_ = from;
}

const trace::Recording::Event* Redactor::pass(const trace::Recording::Event& event) {
  if (!counting_ && event.time >= from_ && from_ != 0) {
    counting_ = true;
    censor_.count_anew();
    left_out_.clear();
    missing_.clear();
  }
  event_ = trace::Recording::Event{.time = event.time};
  censor_.at_link(link_of(event));
  if (event.frame != nullptr) return frame(*event.frame);
  if (event.opened != nullptr) opened(*event.opened);
  if (event.closed != nullptr) {
    frames_.closed(event.closed->link());
    censor_.closed(event.closed->link());
    missing_.erase({event.closed->link(), trace::TO_SERVER});
    missing_.erase({event.closed->link(), trace::TO_CLIENT});
    closed_.set_link(event.closed->link());
    closed_.set_reason(censor_.remark(event.closed->reason()));
    event_.closed = &closed_;
  }
  if (event.note != nullptr) {
    note_.set_link(event.note->link());
    note_.set_text(censor_.remark(event.note->text()));
    note_.set_bytes_lost(event.note->bytes_lost());
    event_.note = &note_;
  }
  if (event.world != nullptr) world(*event.world);
  if (event.geometry != nullptr) geometry(*event.geometry);
  if (event.word) word(*event.word);
  return &event_;
}

const trace::Recording::Event* Redactor::frame(const trace::Frame& frame) {
  if (!trace::was_passed_on(frame)) {
    ++left_out_["not passed on by the lab"];
    return nullptr;
  }
  frame_ = frame;
  frame_.DiscardUnknownFields();
  const std::pair<std::uint32_t, int> direction{frame.link(), frame.way()};
  if (const auto why = frames_.redact(frame_)) {
    if (left_out_.contains(*why) || left_out_.size() < kMostReasons) ++left_out_[*why];
    if (missing_.contains(direction) || missing_.size() < kMostConnections)
      missing_[direction] += {frame.frames_missing() + 1, frame.bytes_missing() + frame.data().size()};
    return nullptr;
  }
  if (const auto missing = missing_.find(direction); missing != missing_.end()) {
    frame_.set_frames_missing(frame.frames_missing() + missing->second.frames);
    frame_.set_bytes_missing(frame.bytes_missing() + missing->second.bytes);
    missing_.erase(missing);
  }
  event_.frame = &frame_;
  return &event_;
}

void Redactor::opened(const trace::Opened& opened) {
  frames_.opened(opened);
  const auto text = [&](wire::Personal kind, const std::string& now) { return censor_.text(kind, now).value_or(now); };
  opened_ = opened;
  opened_.DiscardUnknownFields();
  opened_.set_game(text(wire::Personal::kGame, opened.game()));
  opened_.set_dialect(text(wire::Personal::kGame, opened.dialect()));
  opened_.set_client(text(wire::Personal::kAddress, opened.client()));
  opened_.set_server(text(wire::Personal::kAddress, opened.server()));
  opened_.set_listener(text(wire::Personal::kAddress, opened.listener()));
  opened_.clear_before();  // the name of a file
  opened_.clear_before_id();
  event_.opened = &opened_;
}

void Redactor::world(const trace::Snapshot& world) {
  world_ = world;
  words_.redact(world_);
  const auto known = geometries_.find(world.geometry());
  world_.set_geometry(known != geometries_.end() ? known->second : "");
  event_.world = &world_;
}

void Redactor::geometry(const trace::Geometry& geometry) {
  words::World world = geometry.world();
  words_.redact(world);
  geometry_ = relay::geometry_of(world);
  if (geometries_.size() < kMostGeometries) geometries_[geometry.hash()] = geometry_.hash();
  event_.geometry = &geometry_;
}

void Redactor::word(const trace::Recording::WordEvent& word) {
  event_.word = trace::Recording::WordEvent{.link = word.link};
  if (word.fact != nullptr) {
    fact_ = *word.fact;
    words_.redact(fact_);
    event_.word->fact = &fact_;
  } else {
    intent_ = *word.intent;
    words_.redact(intent_);
    event_.word->intent = &intent_;
  }
}

}  // namespace entente
