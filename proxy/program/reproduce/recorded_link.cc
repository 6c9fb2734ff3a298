#include "proxy/program/reproduce/recorded_link.h"

#include <algorithm>
#include <utility>

#include "adapters/registry.h"

namespace entente {

RecordedLink::RecordedLink(const trace::Opened& opened) : opened_(opened) {
  const wire::Game* game = find_game(opened.game());
  const auto dialect = game != nullptr ? wire::find_dialect(*game, opened.dialect()) : std::nullopt;
  if (dialect) game_dialect_ = GameDialect{game, *dialect};
}

std::string RecordedLink::dialect_text() const { return opened_.game() + " " + opened_.dialect(); }

void RecordedLink::add(const trace::Frame& frame, WallTime time) {
  last_time_ = time;
  if (ignored_) return;
  const std::size_t way = frame.way() == trace::TO_SERVER ? 0 : 1;
  lacking_[way] += frame.frames_missing();
  waiting_ += frame.data().size() + sizeof(RecordedFrame);
  frames_[way].push_back({time, frame.lane() == trace::DATAGRAM ? Lane::kDatagram : Lane::kStream, frame.joined(),
                          frame.data(), frame.name()});
}

void RecordedLink::ignore() {
  ignored_ = true;
  for (auto& frames : frames_) frames = {};
  waiting_ = 0;
}

std::optional<WallTime> RecordedLink::waits_since() const {
  std::optional<WallTime> first;
  for (const auto& frames : frames_)
    if (!frames.empty()) first = std::min(first.value_or(frames.front().time), frames.front().time);
  return first;
}

const RecordedFrame* RecordedLink::next_frame(wire::Way way) const {
  const auto& frames = frames_[index(way)];
  return frames.empty() ? nullptr : &frames.front();
}

RecordedFrame RecordedLink::take(wire::Way way) {
  auto& frames = frames_[index(way)];
  RecordedFrame frame = std::move(frames.front());
  frames.pop_front();
  waiting_ -= frame.bytes.size() + sizeof(RecordedFrame);
  return frame;
}

std::optional<RecordedPiece> RecordedLink::next_piece(wire::Way way) {
  const RecordedFrame* next = next_frame(way);
  if (next == nullptr) return std::nullopt;
  RecordedPiece piece{next->time, next->lane, {}, 0, {}};
  do {
    piece.last = take(way);
    append(piece.bytes, piece.last.view());
    ++piece.frames;
    next = next_frame(way);
  } while (next != nullptr && next->joined);
  return piece;
}

}  // namespace entente
