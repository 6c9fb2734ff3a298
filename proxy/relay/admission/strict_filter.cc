#include "proxy/relay/admission/strict_filter.h"

namespace entente::relay {

std::optional<Fault> StrictFilter::objection(const wire::Frame& frame, std::size_t dialect) {
  auto& codec = codecs_[dialect];
  if (!codec) codec = game_.codec(dialect);
  const auto row = codec->decode(frame);
  if (row.ok() || game_.ignores(frame, dialect)) return std::nullopt;
  return row.error();
}

}  // namespace entente::relay
