#include "proxy/program/base/progress.h"

#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <utility>

#include "proxy/program/base/screen_text.h"

namespace entente {
namespace {

constexpr unsigned kCallsPerLook = 64;  // calls

}  // namespace

void Progress::begin(std::string what, std::uint64_t all) {
  clear();
  what_ = std::move(what);
  all_ = all;
}

void Progress::reached(std::uint64_t done) {
  if (terminal_ == nullptr || all_ == 0 || calls_++ % kCallsPerLook != 0 || !took_long()) return;
  const int percent = static_cast<int>(std::min(done, all_) * 100 / all_);
  if (percent == shown_) return;
  shown_ = percent;
  *terminal_ << '\r' << screen_text(what_) << ": " << percent << " %" << std::flush;
}

void Progress::clear() {
  if (shown_ >= 0) *terminal_ << "\r\x1b[K" << std::flush;
  shown_ = -1;
}

std::ostream* progress_terminal() { return ::isatty(STDERR_FILENO) != 0 ? &std::cerr : nullptr; }

}  // namespace entente
