// Compares what is sent on one link now with what was sent then, frame by frame.
// Invariant: another C library or processor rounds sines differently, so the last digits of a number with a fraction do
// not count. Frames are compared within the call of the room that sent them, so an extra frame does not make all later
// frames different. Where the recording has '*' instead of a secret, the secret in the new frame becomes '*', too.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "adapters/wire/codec.h"
#include "adapters/wire/dissect.h"
#include "adapters/wire/print.h"
#include "adapters/wire/secrets.h"
#include "proxy/core/word.h"
#include "proxy/program/reproduce/recorded_link.h"

namespace entente {

/// How one frame differs.
struct FrameDifference {
  WallTime time = 0;
  std::uint32_t link = 0;
  wire::Way way = wire::Way::kToClient;
  std::string expected;  ///< the recorded frame, printed; empty: there is none
  std::string got;       ///< the frame that is sent now; empty: there is none
  std::string fields;    ///< a line for each field that differs, if both are the same message
};

struct ComparedFrames {
  std::uint64_t equal = 0;
  std::uint64_t rounded = 0;  ///< sent with numbers that differ by at most a millionth of their value, or of 1
  std::uint64_t changed = 0;  ///< sent with other bytes
  std::uint64_t missing = 0;  ///< no longer sent
  std::uint64_t extra = 0;    ///< sent only now

  std::uint64_t different() const { return changed + missing + extra; }
  ComparedFrames& operator+=(const ComparedFrames& more) {
    equal += more.equal, rounded += more.rounded;
    changed += more.changed, missing += more.missing, extra += more.extra;
    return *this;
  }
};

class Comparison final : private wire::DissectorSink {
 public:
  /// `way`: in which we speak. `link` has a known game, and outlives this. `age`: by which the times that we send may
  /// be later.
  Comparison(RecordedLink& link, wire::Way way, core::Micros age = 0);

  /// A frame that is sent now, in a call at `time`. Times do not decrease.
  void said(Lane lane, Bytes bytes, WallTime time);
  /// Compares everything before `time`. Returns the first difference, if nothing differed before.
  std::optional<FrameDifference> compare_until(WallTime time);

  const ComparedFrames& frames() const { return frames_; }
  RecordedLink& link() const { return link_; }

 private:
  struct SentFrame {
    WallTime time;
    Lane lane;
    wire::Stage stage;
    Buffer bytes;
  };

  void frame(const wire::Frame& frame) override;
  void raw(wire::Way way, Lane lane, Bytes bytes, const Fault* why) override;
  bool equals(const RecordedFrame& expected, const SentFrame& got);
  bool rounds(const RecordedFrame& expected, const SentFrame& got);
  void settle_group(WallTime time, std::optional<FrameDifference>& first);
  FrameDifference difference(WallTime time, const RecordedFrame* expected, const SentFrame* got);
  std::string line_of(const RecordedFrame& frame, std::vector<wire::Shown>& fields) {
    return line_of({way_, frame.lane, wire::Stage::kPlay, frame.view()}, frame.name, fields);
  }
  std::string line_of(const SentFrame& frame, std::vector<wire::Shown>& fields) {
    return line_of({way_, frame.lane, frame.stage, frame.bytes}, {}, fields);
  }
  std::string line_of(const wire::Frame& frame, std::string_view name, std::vector<wire::Shown>& fields);

  RecordedLink& link_;
  const wire::Way way_;
  const core::Micros age_;
  const std::vector<wire::Secret> secrets_;
  std::unique_ptr<wire::Codec> codec_;
  wire::Dissector dissector_;
  WallTime now_ = 0;
  std::deque<SentFrame> said_;
  ComparedFrames frames_;
};

/// The frame as one line, or its bytes if it does not decode. `fields`: if not null, gets every field.
std::string frame_text(wire::Codec& codec, const wire::Frame& frame, std::string_view name,
                       std::vector<wire::Shown>* fields = nullptr);

}  // namespace entente
