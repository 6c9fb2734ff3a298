#include "proxy/core/shared_frames.h"

#include <algorithm>

namespace entente::core {
namespace {

constexpr std::size_t kPage = 64 * 1024;
constexpr std::size_t kPagesKept = 4;  // pages kept for each key, for later frames

}  // namespace

Bytes SharedFrames::keep(const void* key, Bytes frame) {
  auto at = std::find_if(entries_.begin(), entries_.end(), [key](const Entry& one) { return one.key == key; });
  if (at == entries_.end()) at = entries_.insert(at, Entry{key});
  Entry& entry = *at;
  const auto has_room = [&] {
    const Buffer& page = entry.pages[entry.page];
    return page.capacity() - page.size() >= frame.size();
  };
  while (entry.page < entry.pages.size() && !has_room()) ++entry.page;
  if (entry.page == entry.pages.size()) entry.pages.emplace_back().reserve(std::max(kPage, frame.size()));
  Buffer& page = entry.pages[entry.page];
  const std::size_t start = page.size();
  append(page, frame);
  entry.frame = Bytes(page).subspan(start);
  entry.word = word_;
  ++kept_;
  return entry.frame;
}

void SharedFrames::forget() {
  next_word();
  for (Entry& entry : entries_) {
    if (entry.page == 0 && (entry.pages.empty() || entry.pages.front().empty())) continue;
    std::erase_if(entry.pages, [](const Buffer& page) { return page.capacity() > kPage; });
    if (entry.pages.size() > kPagesKept) entry.pages.resize(kPagesKept);
    for (Buffer& page : entry.pages) page.clear();
    entry.page = 0;
  }
}

}  // namespace entente::core
