#include "proxy/program/settings/ban_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <utility>

#include "proxy/base/steady_wall.h"
#include "proxy/net/fd.h"
#include "proxy/program/log/say.h"
#include "proxy/trace/file.h"

namespace entente {
namespace {

constexpr std::string_view kForever = "forever", kAllowed = "allowed", kDenied = "denied";
constexpr std::time_t kClocksDiffer = 1;               // seconds that two looks at the clocks may differ by rounding
constexpr Millis kTakeOverLasts = 300'000;             // at most, from the read of the ban file to its end
constexpr std::time_t kLatestUntil = 253'402'300'799;  // 9999-12-31T23:59:59Z

std::optional<std::time_t> time_of(const std::string& text) {
  if (text == kForever) return relay::Ban::kForGood;
  std::tm utc{};
  const char* end = strptime(text.c_str(), "%Y-%m-%dT%H:%M:%SZ", &utc);
  if (end == nullptr || *end != '\0') return std::nullopt;
  return timegm(&utc);
}

std::string_view word(std::string_view& line) {
  const std::size_t end = std::min(line.find(' '), line.size());
  const std::string_view first = line.substr(0, end);
  line.remove_prefix(std::min(end + 1, line.size()));
  return first;
}

/// Reads a line into `file`, unless it is a ban that ended before `now`.
Outcome<Done> read_line(std::string_view line, std::time_t now, BanFile& file) {
  using enum relay::ListedNetwork::List;
  const auto who = net::Network::parse(word(line));
  if (!who) return who.error();
  const std::string until(word(line));
  if (until == kAllowed || until == kDenied) {
    file.listed.push_back({*who, until == kAllowed ? kAllow : kDeny, std::string(line)});
    return Done{};
  }
  const auto time = time_of(until);
  if (!time)
    return Error{"'" + until + "' is not a time; write it as 2026-11-20T17:00:00Z, or forever, allowed or denied"};
  relay::Ban ban{*who, *time, std::string(line), false};
  if (!ban.over(now)) file.bans.push_back(std::move(ban));
  return Done{};
}

std::string line_of(const net::Network& who, std::string_view until, const std::string& why) {
  return who.text() + " " + std::string(until) + (why.empty() ? "" : " " + why) + "\n";
}

Error cannot(const std::string& path, const char* what) {
  return Error{std::string("cannot ") + what + " " + path + ": " + std::strerror(errno) + " (access.ban_file)"};
}

bool write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t wrote = ::write(fd, text.data(), text.size());
    if (wrote < 0 && errno != EINTR) return false;
    if (wrote > 0) text.remove_prefix(static_cast<std::size_t>(wrote));
  }
  return true;
}

std::string remarks_of(const std::string& path) {
  std::string remarks;
  std::error_code unknown;
  if (!std::filesystem::is_regular_file(path, unknown)) return remarks;  // reading a pipe would wait for its writer
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);)
    if (line.starts_with('#')) remarks += line + "\n";
  return remarks;
}

std::vector<relay::Ban> ours_of(relay::Bans& bans) {
  auto ours = bans.all();
  std::erase_if(ours, [](const relay::Ban& ban) { return ban.by_server; });
  std::sort(ours.begin(), ours.end(), [](const auto& a, const auto& b) { return a.who.text() < b.who.text(); });
  return ours;
}

/// The time now. If the clock was not set since the boot, the time when the file was last written, because bans of the
/// file would otherwise last until that clock has caught up.
std::time_t not_before_change(const std::string& path) {
  const std::time_t now = std::time(nullptr);
  std::error_code none;
  const auto written = std::filesystem::last_write_time(path, none);
  if (none || clock_is_set(wall_now())) return now;
  using std::chrono::system_clock;
  const auto at = std::chrono::time_point_cast<system_clock::duration>(std::chrono::file_clock::to_sys(written));
  return std::max(now, system_clock::to_time_t(at));
}

/// When the next ban ends; nullopt: all are permanent, or there are none.
std::optional<std::time_t> next_end(const std::vector<relay::Ban>& bans) {
  std::optional<std::time_t> next;
  for (const relay::Ban& ban : bans)
    if (ban.until != relay::Ban::kForGood) next = std::min(next.value_or(ban.until), ban.until);
  return next;
}

}  // namespace

std::string until_text(std::time_t until) {
  if (until == relay::Ban::kForGood || until > kLatestUntil) return std::string(kForever);
  std::tm utc{};
  gmtime_r(&until, &utc);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text.data();
}

Outcome<BanFile> read_bans(const std::string& path, std::time_t now) {
  BanFile read;
  std::error_code unknown;  // then opening the file reports the error
  const auto status = std::filesystem::status(path, unknown);
  if (std::filesystem::is_directory(status)) return Error{path + " is a folder; access.ban_file must be a file"};
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status))
    return Error{path + " is not a file; access.ban_file must be one"};  // reading a pipe would wait for its writer
  std::ifstream file(path);
  if (!file) return errno == ENOENT ? Outcome<BanFile>(read) : cannot(path, "read");
  std::size_t number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    if (line.empty() || line.front() == '#') continue;
    if (const auto done = read_line(line, now, read); !done)
      return Error{path + ":" + std::to_string(number) + ": " + done.error().text};
  }
  if (read.listed.size() > relay::ListedNetworks::kMost)
    return Error{path + " has more than " + std::to_string(relay::ListedNetworks::kMost) +
                 " networks that are allowed or denied"};
  return read;
}

Outcome<Done> write_bans(const std::string& path, const BanFile& file) {
  std::string text = remarks_of(path);
  for (const relay::Ban& ban : file.bans) text += line_of(ban.who, until_text(ban.until), ban.why);
  for (const relay::ListedNetwork& one : file.listed)
    text += line_of(one.who, one.list == relay::ListedNetwork::List::kAllow ? kAllowed : kDenied, one.why);
  const std::string fresh = path + ".new";
  // In a folder that others may write to, this name may be a link to another file, or a file that somebody else can
  // change.
  ::unlink(fresh.c_str());
  const net::Fd fd(::open(fresh.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!fd) return cannot(fresh, "write");
  std::optional<Error> failed;
  if (!write_all(fd.get(), text) || ::fsync(fd.get()) != 0)
    failed = cannot(fresh, "write");
  else if (std::rename(fresh.c_str(), path.c_str()) != 0)
    failed = cannot(path, "replace");
  if (failed) {
    ::unlink(fresh.c_str());
    return *failed;
  }
  trace::sync_folder_of(path);
  return Done{};
}

KeptBans::KeptBans(relay::Bans& bans, relay::ListedNetworks& listed, std::string path, Housekeeping& files,
                   Millis try_again)
    : bans_(bans), listed_(listed), path_(std::move(path)), files_(files), try_again_(try_again) {}

KeptBans::~KeptBans() {
  watch_.reset();
  const std::lock_guard lock(mutex_);
  if (!due_) return;
  if (const auto written = write(); !written) log_error("bans of the fleet are not kept: {}", written.error().text);
}

Outcome<Done> KeptBans::load() {
  if (path_.empty()) return Done{};
  auto kept = read_bans(path_, 0);
  if (!kept) return kept.error();
  const std::time_t now = not_before_change(path_);
  for (relay::ListedNetwork& one : kept->listed) (void)listed_.put(std::move(one));  // read_bans() has counted them
  waits_ = true;
  in_file_ = kept->bans.size();
  ahead_in_file_ = bans_.wall_is_ahead();
  std::erase_if(kept->bans, [now](const relay::Ban& ban) { return ban.over(now); });
  const std::time_t lost = now - std::time(nullptr);  // by the wall clock
  for (relay::Ban& ban : kept->bans) {
    if (ban.until != relay::Ban::kForGood) ban.until -= lost;
    bans_.add(std::move(ban));
  }
  return Done{};
}

Outcome<Done> KeptBans::begin() {
  if (path_.empty()) return Done{};
  Outcome<Done> written = Done{};
  {
    const std::lock_guard lock(mutex_);
    waits_ = false;
    if (std::exchange(differs_, false)) written = write();
  }
  watch_.emplace(files_, [this] { return watch(); });
  return written;
}

Outcome<Done> KeptBans::save() {
  if (path_.empty()) return Done{};
  Outcome<Done> written = Done{};
  {
    const std::lock_guard lock(mutex_);
    written = write();
  }
  if (watch_) watch_->news();
  return written;
}

void KeptBans::save_soon() {
  if (path_.empty()) return;
  {
    const std::lock_guard lock(mutex_);
    due_ = true;
  }
  if (!watch_) return;  // begin() does it
  watch_->news();
}

Outcome<Done> KeptBans::save_without(const net::Network& who) {
  if (share_) share_(who, nullptr);
  return save();
}

Outcome<Done> KeptBans::save(const relay::Ban& ban) {
  if (share_) share_(ban.who, &ban);
  Tell tell;
  {
    const std::lock_guard lock(mutex_);
    tell = tell_;
    if (since_) since_->push_back(ban);
  }
  return tell ? tell(ban) : save();
}

Outcome<Done> KeptBans::save_listed(const net::Network& who, const relay::ListedNetwork* network) {
  {
    const std::lock_guard lock(mutex_);
    if (tell_) return Error{"another process has taken over; give the command to that process"};
  }
  if (share_listed_) share_listed_(who, network);
  return save();
}

void KeptBans::begin_leaving() {
  const std::lock_guard lock(mutex_);
  if (!tell_) since_.emplace();
}

void KeptBans::stay() {
  const std::lock_guard lock(mutex_);
  since_.reset();
}

void KeptBans::leave_file(Tell tell) {
  const std::lock_guard lock(mutex_);
  tell_ = std::move(tell);
  for (const relay::Ban& ban : std::exchange(since_, {}).value_or(std::vector<relay::Ban>())) (void)tell_(ban);
}

Outcome<Done> KeptBans::write() {
  if (waits_) differs_ = true;
  const bool was_due = std::exchange(due_, false);
  if (tell_ || waits_) return Done{};
  const auto ours = ours_of(bans_);
  in_file_ = ours.size();  // also if it fails: then `owed_` is set
  ahead_in_file_ = bans_.wall_is_ahead();
  auto written = write_bans(path_, {ours, listed_.all()});
  const Millis now = tried_at_ = steady_now();
  next_try_ = now + try_again_;
  const bool was_owed = std::exchange(owed_, !written.ok());
  if (written && (was_owed || was_due)) owed_until_ = now;
  if (written && was_owed) log_info("{} is written again (access.ban_file)", path_);
  return written;
}

std::string KeptBans::stale_file() {
  const std::lock_guard lock(mutex_);
  const bool was_stale = owed_until_ && steady_now() - *owed_until_ < kTakeOverLasts;
  return owed_ || due_ || was_stale ? path_ : "";
}

Millis KeptBans::watch() {
  const std::lock_guard lock(mutex_);
  const auto ours = ours_of(bans_);
  const auto next = next_end(ours);
  const std::time_t ahead = bans_.wall_is_ahead();
  const bool have_ended = !due_ && ours.size() < in_file_;
  const bool clock_was_set = next && std::abs(ahead - ahead_in_file_) > kClocksDiffer;
  const auto soon_at = [this] { return tried_at_ != 0 ? tried_at_ + kSoon : 0; };
  const bool was_owed = owed_, is_due = due_ && steady_now() >= soon_at();
  if (have_ended || clock_was_set || is_due || (was_owed && steady_now() >= next_try_))
    if (const auto written = write(); !written && !was_owed)
      log_error("{}; {}",
                is_due       ? "bans of the fleet are not kept"
                : have_ended ? "a ban has ended"
                             : "the clock was set, and bans end at other times",
                written.error().text);
  Millis wait = Housekeeping::kIdle;
  if (next)
    wait =
        static_cast<Millis>(std::clamp<std::time_t>(*next - ahead - steady_seconds(), 0, Housekeeping::kIdle / 1'000)) *
        1'000;
  const Millis now = steady_now();
  if (due_) wait = std::min(wait, soon_at() > now ? soon_at() - now : 0);
  if (!owed_ || tell_) return wait;
  return std::min(wait, next_try_ > now ? next_try_ - now : 0);
}

}  // namespace entente
