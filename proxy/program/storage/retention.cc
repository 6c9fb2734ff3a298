#include "proxy/program/storage/retention.h"

#include <regex.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <set>
#include <unordered_set>

#include "proxy/program/settings/route.h"
#include "proxy/program/storage/words_cache.h"
#include "proxy/trace/file.h"
#include "proxy/trace/mcap.h"

namespace entente {
namespace {

namespace fs = std::filesystem;

constexpr Millis kLookEvery = 60'000;

/// The file of a recording with this pattern. Its time and its link are 0.
fs::path path_of(const std::string& pattern, const std::string& directory, const RecordingTarget& target) {
  return recording_path(pattern, directory, {target.game, target.route, 0, 0, target.name});
}

/// The name as an extended regular expression: with the second and later names of FileSink::create_beside, and any time
/// and link. The number of a later name has at most five digits: six or eight may be a date in a name that a person
/// gave.
std::string regex_of(const RecordingTarget& target) {
  constexpr const char *kTime = "\x01", *kLink = "\x02";  // no name has these
  std::string pattern = target.pattern;
  const auto replace = [&](std::string_view from, std::string_view to) {
    for (std::size_t at = pattern.find(from); at != std::string::npos; at = pattern.find(from, at + to.size()))
      pattern.replace(at, from.size(), to);
  };
  replace("{time}", kTime);
  replace("{link}", kLink);
  const fs::path name = path_of(pattern, "", target).filename();
  const auto escaped = [](const std::string& text) {
    std::string out;
    for (const char c : text) {
      if (c == *kTime)
        out += "[0-9]{8}T[0-9]{6}Z";
      else if (c == *kLink)
        out += "[0-9]+";
      else if (std::string_view("\\^$.|?*+()[]{}").find(c) != std::string_view::npos)
        (out += '\\') += c;
      else
        out += c;
    }
    return out;
  };
  return "^" + escaped(name.stem().string()) + "(-[1-9][0-9]{0,4})?" + escaped(name.extension().string()) + "$";
}

/// Whether it begins as every recording of this program does. An error: it cannot be read.
Outcome<bool> is_ours(const fs::path& path) {
  Buffer expected(trace::mcap::kMagic.begin(), trace::mcap::kMagic.end());
  put(expected, trace::mcap::Header{"", "entente"});
  const auto file = trace::FileSource::open(path.string());
  if (!file) return file.error();
  if ((*file)->size() < expected.size()) return false;
  Buffer first(expected.size());
  if (const auto read = (*file)->read(0, first); !read) return read.error();
  return first == expected;
}

}  // namespace

/// The names of files that fit an extended regular expression. <regex> would take seconds to compile.
class Retention::Names {
 public:
  explicit Names(const std::string& regex)
      : compiled_(regex.find('\0') == std::string::npos &&
                  ::regcomp(&regex_, regex.c_str(), REG_EXTENDED | REG_NOSUB) == 0) {}
  ~Names() {
    if (compiled_) ::regfree(&regex_);
  }
  Names(const Names&) = delete;
  Names& operator=(const Names&) = delete;

  bool has(const std::string& name) const { return compiled_ && ::regexec(&regex_, name.c_str(), 0, nullptr, 0) == 0; }

 private:
  regex_t regex_{};
  const bool compiled_;  // not if there is a NUL in it, which no name has
};

void Retention::add(const RecordingTarget& target) {
  fs::path folder = path_of(target.pattern, options_.directory, target).parent_path();
  if (folder.empty()) folder = ".";
  const std::string names = regex_of(target);
  const std::lock_guard lock(mutex_);
  if (known_.emplace(folder, names).second) patterns_.push_back({std::move(folder), std::make_shared<Names>(names)});
}

void Retention::begin(Housekeeping& files) {
  if (!wanted()) return;
  const std::lock_guard lock(mutex_);
  work_.emplace(files, [this] {
    look(fs::file_time_type::clock::now());
    return kLookEvery;
  });
}

void Retention::look_soon() {
  const std::lock_guard lock(mutex_);
  if (work_) work_->news();
}

bool Retention::knows_files_in(const fs::path& folder) const {
  return std::any_of(seen_.begin(), seen_.end(), [&](const auto& one) { return one.first.parent_path() == folder; });
}

void Retention::look_into(const Pattern& pattern, std::map<fs::path, std::uint64_t>& caches, std::set<fs::path>& known,
                          Looked& looked) const {
  const auto is_unread = [&](const fs::path& path, const std::string& why) {
    looked.unread.insert(path);
    looked.errors.emplace(pattern.folder, why);
  };
  std::error_code error;
  for (fs::directory_iterator at(pattern.folder, error), end; !error && at != end; at.increment(error)) {
    if (known.contains(at->path())) continue;
    const fs::path cached = file_of_words_cache(at->path());  // empty: it holds no words of another file
    const std::string name = (cached.empty() ? at->path() : cached).filename().string();
    const bool part = name.ends_with(".part");
    if (!pattern.names->has(part ? name.substr(0, name.size() - 5) : name)) continue;
    Found one{at->path(), {}, 0, pattern.names.get()};
    std::error_code wrong;
    const bool regular = fs::is_regular_file(at->symlink_status(wrong));
    if (!wrong && !regular) continue;
    if (!wrong) one.changed = fs::last_write_time(one.path, wrong);
    if (!wrong) one.bytes = fs::file_size(one.path, wrong);
    if (wrong == std::errc::no_such_file_or_directory) continue;  // gone while we look
    if (wrong) {
      is_unread(one.path, one.path.string() + ": " + wrong.message());
      continue;
    }
    const auto ours = is_ours(one.path);
    if (!ours && !fs::exists(one.path, wrong) && !wrong) continue;
    if (!ours) is_unread(one.path, ours.error().text);
    one.readable = ours.ok();
    if ((ours && !*ours) || (!cached.empty() && !is_words_cache(one.path))) continue;
    known.insert(one.path);
    if (!cached.empty()) {
      caches[cached] = one.bytes;
      continue;
    }
    if (part && (!one.readable || one.changed < options_.began)) continue;  // an earlier program left it
    if (part)
      ++looked.unfinished, looked.unfinished_bytes += one.bytes;
    else
      looked.found.push_back(std::move(one));
  }
  const bool absent = error == std::errc::no_such_file_or_directory && !knows_files_in(pattern.folder);
  if (!error || absent)  // a folder is made when there is something to record
    looked.for_names.insert(pattern.names.get());
  else
    is_unread(pattern.folder, error.message());
}

Retention::Looked Retention::find() const {
  Looked looked;
  std::set<fs::path> known;
  std::map<fs::path, std::uint64_t> caches;  // bytes of words, by the file that they were made of
  std::vector<Pattern> patterns;
  {
    const std::lock_guard lock(mutex_);
    patterns = patterns_;
  }
  for (const Pattern& pattern : patterns) look_into(pattern, caches, known, looked);
  for (Found& one : looked.found)
    if (const auto cache = caches.find(one.path); cache != caches.end()) one.bytes += cache->second;
  return looked;
}

/// Sets how old each file is, and puts the oldest first. The time of a file's last change gives its age once. Later,
/// the monotonic clock does. A file that an earlier look did not find is not older than that look.
void Retention::judge_ages(Looked& looked, fs::file_time_type now, Millis steady) {
  using std::chrono::nanoseconds;
  std::vector<Found>& found = looked.found;
  std::map<fs::path, Seen> seen;
  for (Found& one : found) {
    const auto before = seen_.find(one.path);
    Seen its = before != seen_.end() ? before->second : Seen{};
    if (before == seen_.end() || its.changed != one.changed) {
      nanoseconds age = std::max<nanoseconds>(now - one.changed, nanoseconds(0));
      if (looked_for_.contains(one.by))
        age = std::min<nanoseconds>(age, std::chrono::milliseconds(steady - looked_at_));
      its = {one.changed, age, steady};
    }
    one.age = its.age + std::chrono::milliseconds(steady - its.at);
    seen.emplace(one.path, its);
  }
  for (const auto& [path, its] : seen_)
    if (looked.unread.contains(path) || looked.unread.contains(path.parent_path())) seen.emplace(path, its);
  seen_ = std::move(seen);
  looked_for_ = looked.for_names;
  looked_at_ = steady;
  std::sort(found.begin(), found.end(), [](const Found& a, const Found& b) {
    return a.age != b.age ? a.age > b.age : a.changed != b.changed ? a.changed < b.changed : a.path < b.path;
  });
}

void Retention::tell_unread(const Looked& looked) {
  std::set<fs::path> unread;
  for (const auto& [folder, error] : looked.errors) {
    unread.insert(folder);
    if (!unread_.contains(folder) && options_.unread) options_.unread(folder.string(), error);
  }
  unread_ = std::move(unread);
}

bool Retention::remove(const Found& file, const char* why) {
  const std::string path = file.path.string();
  std::error_code error;
  remove_words_cache(file.path);
  if (fs::remove(file.path, error) && !error) {
    ++deleted_;
    deleted_bytes_ += file.bytes;
    std::erase(stuck_, path);
    if (options_.deleted) options_.deleted(path, file.bytes, why);
    return true;
  }
  if (!error) return true;  // another program has deleted it already
  if (std::find(stuck_.begin(), stuck_.end(), path) == stuck_.end()) {
    stuck_.push_back(path);
    if (options_.failed) options_.failed(path, error.message());
  }
  return false;
}

void Retention::look(fs::file_time_type now, Millis steady) {
  Looked looked = find();
  tell_unread(looked);
  judge_ages(looked, now, steady);
  std::vector<Found>& found = looked.found;
  std::erase_if(found, [](const Found& one) { return !one.readable; });
  std::uint64_t count = looked.unfinished, bytes = looked.unfinished_bytes;
  for (const Found& file : found) ++count, bytes += file.bytes;
  for (const Found& file : found) {
    const bool too_old = options_.keep_age.count() != 0 && file.age > options_.keep_age;
    const bool too_much = options_.keep_bytes != 0 && bytes > options_.keep_bytes && &file != &found.back();
    if (!too_old && !too_much) continue;
    if (remove(file, too_old ? "older than recording.keep_s" : "more than recording.keep_mb"))
      --count, bytes -= file.bytes;
  }
  kept_ = count;
  kept_bytes_ = bytes;
}

Retention::Totals Retention::totals() const { return {deleted_, deleted_bytes_, kept_, kept_bytes_}; }

}  // namespace entente
