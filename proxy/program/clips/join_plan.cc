#include "proxy/program/clips/join_plan.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <set>

#include "proxy/program/base/interruption.h"
#include "proxy/program/clips/new_recording.h"
#include "proxy/program/import/input.h"

namespace entente {
namespace {

constexpr std::size_t kMostSessions = 200'000;  // of a file

bool same_ends(const trace::Opened& a, const trace::Opened& b) {
  return a.game() == b.game() && a.client() == b.client() && a.server() == b.server() && a.listener() == b.listener();
}

bool overlap(const JoinLink& a, const JoinLink& b) {
  if (!a.first || !b.first) return a.opened_at == b.opened_at;
  return *a.first <= b.last && *b.first <= a.last;
}

/// Whether the part continues a session of this file. A renamed file is recognised by its id.
bool follows(const trace::Opened& part, const JoinFile& earlier) {
  return part.continues() &&
         (part.before() == name_of_file(earlier.path) || (part.before_id() != 0 && part.before_id() == earlier.id));
}

bool follow_the_same(const trace::Opened& a, const trace::Opened& b) {
  return a.before_id() != 0 && b.before_id() != 0 ? a.before_id() == b.before_id() : a.before() == b.before();
}

/// Whether both files have the same moments of one session.
bool same_part(const JoinFile& earlier, const JoinLink& a, const JoinFile& later, const JoinLink& b) {
  if (!same_ends(a.opened, b.opened) || !overlap(a, b)) return false;
  const bool continues = a.opened.continues() || b.opened.continues();
  if (continues && !earlier.clip_of.empty() && earlier.clip_of == later.clip_of) return true;
  if (a.opened.continues() && b.opened.continues()) return follow_the_same(a.opened, b.opened);
  if (b.opened.continues()) return follows(b.opened, earlier) && b.first && a.last > *b.first;
  if (a.opened.continues()) return follows(a.opened, later);
  return a.opened_at == b.opened_at;
}

bool goes_on(const JoinFile& earlier, const JoinLink& a, const JoinLink& b) {
  return follows(b.opened, earlier) && same_ends(a.opened, b.opened) && !a.closed && (!b.first || a.last <= *b.first);
}

/// What the metadata say. Commands that write recordings, such as `clip`, give them no id.
void read_metadata(const trace::Recording& recording, JoinFile& file) {
  for (const trace::mcap::Metadata& metadata : recording.file().definitions().metadata())
    for (const auto& [key, value] : metadata.values) {
      if (metadata.name == trace::kAboutFile && key == trace::kFileId)
        std::from_chars(value.data(), value.data() + value.size(), file.id);
      if (metadata.name == kAboutClip && key == kClipOf) file.clip_of = value;
    }
}

}  // namespace

Outcome<JoinFile> read_join_file(const std::string& path) {
  const auto recording = open_recording(path);
  if (!recording) return recording.error();
  JoinFile file;
  file.path = path;
  for (;;) {
    const auto next = (*recording)->next();
    if (!next) return damage_of(**recording, next.error());
    if (Interruption::came()) return Error{"interrupted"};
    if (*next == nullptr) {
      read_metadata(**recording, file);
      return file;
    }
    const trace::Recording::Event& event = **next;
    file.start = std::min(file.start.value_or(event.time), event.time);
    file.end = std::max(file.end, event.time);
    file.has_frames = file.has_frames || event.frame != nullptr;
    file.has_words = file.has_words || event.word || event.world != nullptr;
    const std::uint32_t id = link_of(event);
    if (id == 0 || event.note != nullptr) continue;
    JoinLink& link = file.links[id];
    ++link.events;
    if (file.links.size() > kMostSessions) return Error{path + ": more than 200000 sessions"};
    if (event.opened != nullptr) {
      link.opened = *event.opened;
      link.opened_at = event.time;
    } else if (event.closed != nullptr) {
      link.closed = true;
    } else {
      link.first = std::min(link.first.value_or(event.time), event.time);
      link.last = std::max(link.last, event.time);
    }
  }
}

Outcome<Done> plan_join(std::vector<JoinFile>& files) {
  std::stable_sort(files.begin(), files.end(), [](const auto& a, const auto& b) { return a.start < b.start; });
  std::uint32_t last = 0;
  for (const JoinFile& file : files)
    if (!file.links.empty()) last = std::max(last, file.links.rbegin()->first);
  std::set<std::uint32_t> used;
  std::map<std::uint32_t, std::vector<std::size_t>> having;  // the earlier files that have a link of this number
  for (std::size_t at = 0; at < files.size(); ++at)
    for (auto& [id, link] : files[at].links) {
      for (const std::size_t earlier : having[id]) {
        const JoinLink& other = files[earlier].links.at(id);
        if (same_part(files[earlier], other, files[at], link))
          return Error{files[earlier].path + " and " + files[at].path + " overlap: both have a part of link " +
                       std::to_string(id) + (link.opened.client().empty() ? "" : " (" + link.opened.client() + ")")};
        if (!goes_on(files[earlier], other, link)) continue;
        link.previous_part = earlier;
        link.number = other.number;
      }
      having[id].push_back(at);
      if (link.number != 0) continue;
      if (used.contains(id) && last == std::numeric_limits<std::uint32_t>::max())
        return Error{"no link numbers are left"};
      link.number = used.insert(id).second ? id : ++last;
      used.insert(link.number);
    }
  return Done{};
}

}  // namespace entente
