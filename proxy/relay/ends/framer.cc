#include "proxy/relay/ends/framer.h"

namespace entente::relay {

Framer::Scan Framer::scan(Bytes in) {
  Scan found;
  std::size_t at = 0;
  while (at < in.size()) {
    const wire::Cut cut = cutter_->next(in.subspan(at));
    found.fault = cut.fault;
    if (cut.fault || cut.size == 0) break;
    if (filter_)
      found.fault = filter_->objection({wire::Way::kToServer, wire::Lane::kStream, cut.stage, in.subspan(at, cut.size)},
                                       dialect_);
    if (found.fault) break;
    at += cut.size;
    if (found.frames.count++ == 0) found.frames.first = cut.size;
    found.frames.last = cut.size;
  }
  found.frames.bytes = in.first(at);
  if (!found.fault && in.size() - at > largest_) found.fault = Fault{"oversize frame", "length", 0};
  return found;
}

Bytes Framer::take_kept() {
  const Bytes rest = kept();
  passed_ += rest.size();
  ahead_ = kept_.size();
  return rest;
}

void Framer::drop_kept() {
  kept_.clear();
  ahead_ = 0;
}

void Framer::keep(Bytes rest) {
  const bool mine = !kept_.empty();
  if (!mine && !rest.empty()) {
    kept_.reserve(rest.size() < 256 ? 256 : rest.size());
    kept_.assign(rest.begin(), rest.end());
  } else if (mine) {
    kept_.erase(kept_.begin(), kept_.end() - static_cast<std::ptrdiff_t>(rest.size()));
  }
}

}  // namespace entente::relay
