#include "proxy/relay/faults/session_lab.h"

namespace entente::relay {

void SessionLab::put_frames(wire::Way way, Bytes bytes, std::size_t ahead, std::size_t frames) {
  LabLine& line = at(way);
  auto& cutter = cutters_[way == wire::Way::kToClient];
  if (frames == 0 || !cutter)
    return line.put(bytes.subspan(ahead), static_cast<std::uint32_t>(frames), wire::Stage::kPlay, true);
  while (!bytes.empty() && !over_) {
    const wire::Cut cut = cutter->next(bytes);
    if (cut.fault || cut.size == 0) cutter.reset();  // it was cut elsewhere, so this does not happen
    const Bytes frame = cutter ? bytes.first(cut.size) : bytes;
    const bool is_rest = ahead != 0;
    line.put(frame.subspan(std::exchange(ahead, 0)), 1, cut.stage, is_rest || !cutter);
    bytes = bytes.subspan(frame.size());
  }
}

}  // namespace entente::relay
