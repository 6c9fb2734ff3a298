#include "proxy/core/chorus.h"

#include <algorithm>

namespace entente::core {
namespace {

constexpr std::size_t kPage = 64 * 1024;
constexpr std::size_t kPagesKept = 4;  // by each voice, for what comes next

}  // namespace

Bytes Chorus::keep(const void* key, Bytes frame) {
  auto at = std::find_if(voices_.begin(), voices_.end(), [key](const Voice& one) { return one.key == key; });
  if (at == voices_.end()) at = voices_.insert(at, Voice{key});
  Voice& voice = *at;
  const auto has_room = [&] {
    const Buffer& page = voice.pages[voice.page];
    return page.capacity() - page.size() >= frame.size();
  };
  while (voice.page < voice.pages.size() && !has_room()) ++voice.page;
  if (voice.page == voice.pages.size()) voice.pages.emplace_back().reserve(std::max(kPage, frame.size()));
  Buffer& page = voice.pages[voice.page];
  const std::size_t start = page.size();
  append(page, frame);
  voice.said = Bytes(page).subspan(start);
  voice.word = word_;
  ++kept_;
  return voice.said;
}

void Chorus::forget() {
  next_word();
  for (Voice& voice : voices_) {
    if (voice.page == 0 && (voice.pages.empty() || voice.pages.front().empty())) continue;
    std::erase_if(voice.pages, [](const Buffer& page) { return page.capacity() > kPage; });
    if (voice.pages.size() > kPagesKept) voice.pages.resize(kPagesKept);
    for (Buffer& page : voice.pages) page.clear();
    voice.page = 0;
  }
}

}  // namespace entente::core
