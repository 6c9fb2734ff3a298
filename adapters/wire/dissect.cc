#include "adapters/wire/dissect.h"

namespace entente::wire {
namespace {

void message(Cutter& cutter, Way way, Bytes bytes, DissectorSink& to) {
  const auto fault = cut_message(cutter, bytes, [&](Stage stage, Bytes frame) {
    to.frame({way, Lane::kStream, stage, frame});
    return true;
  });
  if (fault) to.raw(way, Lane::kStream, bytes, &*fault);
}

}  // namespace

Dissector::Dissector(const Game& game, std::size_t dialect) : messages_(keeps_messages(game.transport())) {
  to_server_.cutter = game.cutter(Way::kToServer, dialect);
  to_client_.cutter = game.cutter(Way::kToClient, dialect);
  datagrams_[0] = game.datagram_cutter(Way::kToServer, dialect);
  datagrams_[1] = game.datagram_cutter(Way::kToClient, dialect);
}

void Dissector::stream(Way way, Bytes bytes, DissectorSink& to) {
  Side& s = side(way);
  if (messages_) return message(*s.cutter, way, bytes, to);
  if (s.lost) return to.raw(way, Lane::kStream, bytes, nullptr);
  if (s.kept.empty()) {
    const std::size_t taken = cut(s, way, bytes, to);
    if (!s.lost) append(s.kept, bytes.subspan(taken));
    return;
  }
  append(s.kept, bytes);
  const std::size_t taken = cut(s, way, s.kept, to);
  if (s.lost)
    s.kept.clear();
  else
    s.kept.erase(s.kept.begin(), s.kept.begin() + static_cast<std::ptrdiff_t>(taken));
}

std::size_t Dissector::cut(Side& s, Way way, Bytes bytes, DissectorSink& to) {
  std::size_t taken = 0;
  while (taken < bytes.size()) {
    const Bytes left = bytes.subspan(taken);
    const Cut cut = s.cutter->next(left);
    if (cut.fault) {
      s.lost = true;
      to.raw(way, Lane::kStream, left, &*cut.fault);
      return bytes.size();
    }
    if (cut.size == 0) break;
    to.frame({way, Lane::kStream, cut.stage, left.first(cut.size)});
    taken += cut.size;
  }
  return taken;
}

void Dissector::datagram(Way way, Bytes bytes, DissectorSink& to) {
  static constexpr Fault kNone{"no datagrams in this game"};
  static constexpr Fault kShort{"message too short", "length"};
  const auto& cutter = datagrams_[way == Way::kToServer ? 0 : 1];
  if (!cutter) return to.raw(way, Lane::kDatagram, bytes, &kNone);
  if (bytes.empty()) return to.raw(way, Lane::kDatagram, bytes, &kShort);
  while (!bytes.empty()) {
    const Cut cut = cutter->next(bytes);
    if (cut.fault || cut.size == 0) return to.raw(way, Lane::kDatagram, bytes, cut.fault ? &*cut.fault : &kShort);
    to.frame({way, Lane::kDatagram, cut.stage, bytes.first(cut.size)});
    bytes = bytes.subspan(cut.size);
  }
}

void Dissector::end(Way way, DissectorSink& to, bool lost) {
  Side& s = side(way);
  if (!s.kept.empty()) to.raw(way, Lane::kStream, s.kept, nullptr);
  s.kept.clear();
  s.lost = s.lost || lost;
}

void Dissector::skip(Way way, DissectorSink& to) {
  end(way, to, false);
  Side& s = side(way);
  s.lost = false;
  s.cutter->skip_greeting();
}

}  // namespace entente::wire
