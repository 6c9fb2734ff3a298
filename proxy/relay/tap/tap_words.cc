// What rooms tell a tap beside bytes: words and worlds, which go into the recording and are not counted.
#include "proxy/relay/tap/tap.h"
#include "schema/snapshot.pb.h"

namespace entente::relay {
namespace {

bool fill(google::protobuf::MessageLite& message, Bytes bytes) {
  return message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
}

}  // namespace

void TapThread::take_word(const Ring::Entry& entry) {
  published_.words.add();
  if (!recording()) return;
  const bool fact = entry.header.kind == RingSink::kFact;
  recording_->word(entry.header.at, entry.header.link, fact ? trace::WordKind::kFact : trace::WordKind::kIntent,
                   entry.bytes);
}

void TapThread::take_world(const Ring::Entry& entry) {
  if (!recording()) return;
  trace::Geometry geometry;
  trace::Snapshot world;
  const bool of_geometry = entry.header.kind == RingSink::kGeometry;
  const bool read = of_geometry ? fill(geometry, entry.bytes) : fill(world, entry.bytes);
  if (!read)  // a text in it is not UTF-8: a defect of an adapter
    return recording_->note(entry.header.at, entry.header.link, "a world is not recorded: a text in it is damaged",
                            entry.bytes.size());
  of_geometry ? recording_->geometry(entry.header.link, geometry) : recording_->world(entry.header.at, world);
}

void TapThread::take_calls(const Ring::Entry& entry) {
  if (recording()) recording_->calls(entry.header.at, entry.header.link, entry.bytes);
}

void TapThread::take_word_gap(const Ring::Entry& entry) {
  if (!recording()) return;
  const auto gap = from_raw<WordGap>(entry.bytes);
  recording_->note(entry.header.at, gap.link,
                   std::to_string(gap.words) + " words are not recorded: the tap could not keep up", gap.bytes);
}

}  // namespace entente::relay
