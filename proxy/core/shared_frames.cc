#include "proxy/core/shared_frames.h"

#include <algorithm>

namespace entente::core {
namespace {

constexpr std::size_t kPage = 64 * 1024;
constexpr std::size_t kPagesKept = 4;  // pages kept for each key, for later frames

}  // namespace

const SharedBytes& SharedFrames::add(const void* key, Bytes frame) {
  auto at = std::find_if(entries_.begin(), entries_.end(), [key](const Entry& one) { return one.key == key; });
  if (at == entries_.end()) at = entries_.insert(at, Entry{key});
  Entry& entry = *at;
  const auto has_room = [&] {
    const Buffer& page = *entry.pages[entry.page];
    return page.capacity() - page.size() >= frame.size();
  };
  while (entry.page < entry.pages.size() && !has_room()) ++entry.page;
  if (entry.page == entry.pages.size())
    entry.pages.emplace_back(std::make_shared<Buffer>())->reserve(std::max(kPage, frame.size()));
  const std::shared_ptr<Buffer>& page = entry.pages[entry.page];
  const std::size_t start = page->size();
  append(*page, frame);
  entry.frame = {Bytes(*page).subspan(start), page};
  entry.word = word_;
  ++encoded_;
  if (recorded_ && recorded_->key == key) recorded_->frames.push_back(entry.frame);
  return entry.frame;
}

const std::vector<SharedBytes>* SharedFrames::find_map(const void* key, std::uint64_t version, Micros now) {
  for (Map& one : maps_) {
    if (one.key != key || one.version != version) continue;
    one.used = now;
    return &one.frames;
  }
  return nullptr;
}

void SharedFrames::begin_map(const void* key, std::uint64_t version) { recorded_.emplace(Map{key, version}); }

void SharedFrames::end_map(bool whole, Micros now) {
  std::erase_if(maps_, [&](const Map& one) { return one.key == recorded_->key; });
  recorded_->used = now;
  if (whole) maps_.push_back(std::move(*recorded_));
  recorded_.reset();
}

/// Pages that somebody still refers to are left to them.
void SharedFrames::forget(Micros now) {
  next_word();
  std::erase_if(maps_, [now](const Map& one) { return now > one.used + kMapStays; });
  for (Entry& entry : entries_) {
    if (entry.page == 0 && (entry.pages.empty() || entry.pages.front()->empty())) continue;
    entry.frame = {};
    std::erase_if(entry.pages, [](const auto& page) { return page->capacity() > kPage || page.use_count() > 1; });
    if (entry.pages.size() > kPagesKept) entry.pages.resize(kPagesKept);
    for (const auto& page : entry.pages) page->clear();
    entry.page = 0;
  }
}

}  // namespace entente::core
