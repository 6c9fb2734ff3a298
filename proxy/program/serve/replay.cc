#include "proxy/program/serve/replay.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdio>
#include <map>

#include "adapters/native/native.h"
#include "adapters/registry.h"
#include "proxy/program/base/checked_option.h"
#include "proxy/program/base/interruption.h"
#include "proxy/program/base/misuse.h"
#include "proxy/program/base/screen_text.h"
#include "proxy/program/base/time_text.h"
#include "proxy/program/config/config.h"
#include "proxy/program/control/control_replay.h"
#include "proxy/program/control/replay_control.h"
#include "proxy/program/conversion/convert_words.h"
#include "proxy/program/fleet/fleet_reader.h"
#include "proxy/program/import/input.h"
#include "proxy/program/log/log.h"
#include "proxy/program/log/say.h"
#include "proxy/program/playback/playable.h"
#include "proxy/program/playback/recorded_player.h"
#include "proxy/program/serve/bot_run.h"
#include "proxy/program/serve/service.h"
#include "proxy/program/settings/route.h"

namespace entente {
namespace {

int replay_error(const std::string& what) { return usage_error("entente replay", what); }

int refused(const RecordedFile::OpenError& error) {
  return error.exit == kUsage ? replay_error(error.text) : report_failure({error.text});
}

class Showing {
 public:
  Showing(const config::Config& config, std::unique_ptr<PlayedWords> session)
      : config_(config), session_(std::move(session)), service_(config), control_(service_.server()) {}

  void house(const core::Replay::Options& options) {
    relay::SharedRoomOptions shared_room;
    shared_room.name = "a replay";
    shared_room.game = &native::game();
    shared_room.chat.commands = true;  // of the replay itself
    shared_room.back = [this, options] {
      return std::make_unique<core::Replay>(std::move(session_), options, &control_);
    };
    shared_room_ = service_.server().add_shared_room(shared_room);
    control_.attend(shared_room_);
    add_replay_commands(service_.control(), control_);
  }

  Outcome<Done> listen(const std::string& url) {
    auto listener = service_.describer(config_).into({shared_room_, "replay"}, url, 1);
    if (!listener) return listener.error();
    const std::string subject = listener->subject;
    const auto tap = service_.counting_tap();
    if (!tap) return tap.error();
    const auto listening = service_.add(std::move(*listener), *tap);
    if (!listening) return listening.error();
    lines_ += "listening " + subject + " " + listening->address.text() + "\n";
    return Done{};
  }

  Outcome<Done> open_acceptors() { return service_.open_acceptors(); }
  void abandon() { service_.abandon(); }

  /// Until the recording is over, or a signal comes.
  Outcome<Done> run() {
    const auto announce = [this] {
      std::fputs(lines_.c_str(), stdout);
      std::fflush(stdout);
    };
    if (const auto ran = service_.run(announce); !ran) return ran.error();
    if (const auto closed = service_.close(); !closed) return closed.error();
    const std::string error = control_.status().error;
    return error.empty() ? Outcome<Done>(Done{}) : Error{error};
  }

 private:
  const config::Config& config_;
  std::unique_ptr<PlayedWords> session_;  // until the shared room is open
  Service service_;
  ReplayControl control_;
  std::size_t shared_room_ = 0;
  std::string lines_;
};

Outcome<Done> show(const config::Config& config, std::unique_ptr<PlayedWords> session,
                   const core::Replay::Options& options, const std::vector<std::string>& listeners) {
  const RecordedSessionInfo about = session->about();
  const core::Micros length = session->end_time();
  if (!session->damage().empty())
    log_warn("the recording is damaged and plays only as far as it can be read: {}", session->damage());
  if (about.unread != 0) log_warn("{} facts cannot be read and are skipped", about.unread);
  log_info("link {} ({}{}{}): {} facts, {}; playback starts with the first viewer", about.link, about.dialect,
           about.player.empty() ? "" : ", player ", about.player, about.facts, time_text(length));
  Showing showing(config, std::move(session));
  showing.house(options);
  Outcome<Done> opened = Done{};
  for (const std::string& url : listeners)
    if (opened) opened = showing.listen(url);
  if (opened) opened = showing.open_acceptors();
  if (!opened) {
    showing.abandon();
    return opened.error();
  }
  return showing.run();
}

/// Recordings of a fleet, as files that end with this.
class FleetFiles {
 public:
  FleetFiles() = default;
  ~FleetFiles() {
    std::error_code ignored;
    if (!folder_.empty()) std::filesystem::remove_all(folder_, ignored);
  }
  FleetFiles(const FleetFiles&) = delete;
  FleetFiles& operator=(const FleetFiles&) = delete;

  /// The same files, with those of the fleet fetched.
  Outcome<std::vector<std::string>> fetched(std::vector<std::string> files, const std::string& config) {
    std::unique_ptr<FleetReader> reader;
    for (std::string& file : files) {
      if (!file.starts_with(kOfFleet)) continue;
      if (config.empty()) return Error{"'" + file + "' needs --fleet CONFIG"};
      if (!reader) {
        auto opened = FleetReader::open(config);
        if (!opened) return opened.error();
        reader = std::move(*opened);
        std::error_code error;
        std::string folder = (std::filesystem::temp_directory_path(error) / "entente-replay-XXXXXX").string();
        if (error || ::mkdtemp(folder.data()) == nullptr) return Error{"cannot make a folder like " + folder};
        folder_ = folder;
      }
      const auto found = reader->find(file.substr(kOfFleet.size()));
      if (!found) return found.error();
      file = folder_ + "/" + found->node + "." + found->name + ".mcap";
      const auto saved = reader->save(*found, file, file, [] { return !Interruption::came(); });
      if (!saved) return saved.error();
      if (!saved->whole)
        log_warn("the fleet does not have all of the recording '{}'; what it has is played", found->name);
    }
    return files;
  }

 private:
  std::string folder_;
};

/// Returns open(options), for the command's files. Those of a fleet are fetched first, and removed once they are open.
template <class Opened>
Expected<Opened, RecordedFile::OpenError> open_files(
    const ReplayCommandOptions& options, bool once,
    Expected<Opened, RecordedFile::OpenError> (*open)(const PlayableOptions& options)) {
  const Interruption interruption;
  FleetFiles of_fleet;
  const auto files = of_fleet.fetched(options.files, options.fleet);
  if (!files) return RecordedFile::OpenError{kFailed, files.error().text};
  FileOptions input = options.input;
  input.file = files->front();
  auto opened = open({.input = input,
                      .more = {files->begin() + 1, files->end()},
                      .set = options.set,
                      .link = options.link,
                      .once = once,
                      .temporary = options.files.front().starts_with(kOfFleet)});
  if (opened && Interruption::came()) return RecordedFile::OpenError{kFailed, "interrupted"};
  return opened;
}

// -- To a server ------------------------------------------------------------------------------------------------------

/// The link of the session to play: the one that was asked for, or the one that tells most.
std::uint32_t link_to_play(const RecordedSessions& found, std::uint32_t asked) {
  if (asked != 0) return asked;
  const auto most = std::max_element(found.sessions.begin(), found.sessions.end(),
                                     [](const auto& a, const auto& b) { return b.tells_more_than(a); });
  return most->link;
}

/// Prints what became of it. Returns whether all were answered as the recorded player was.
bool report(const RecordedPlayer& recorded, const PlayedBack& results, const BotCrowd::Sum& sum, std::uint32_t count) {
  std::map<std::vector<std::string>, std::vector<std::uint32_t>> by_difference;
  std::uint64_t said = 0, left_out = 0;
  for (const PlayedBack::Player& one : results.players()) {
    said += one.said;
    left_out += one.left_out;
    by_difference[differences(recorded.answers, one)].push_back(one.number + 1);
  }
  std::puts(
      fmt::format("said {} of {} wishes{}", said, recorded.wishes.size() * count,
                  left_out != 0 ? fmt::format("; {} are about players or units that are not there", left_out) : "")
          .c_str());
  for (const BotCrowd::BotFailure& one : sum.failures)
    std::puts(fmt::format("player {} {}{}", one.bot, screen_text(one.what),
                          one.more != 0 ? fmt::format(" (and {} more)", one.more) : "")
                  .c_str());
  const std::size_t same = by_difference.contains({}) ? by_difference.at({}).size() : 0;
  if (same == count) return std::puts("the server answered as in the recording"), true;
  std::puts(fmt::format("{} of {} players were answered as in the recording", same, count).c_str());
  for (const auto& [lines, players] : by_difference) {
    if (lines.empty()) continue;
    std::puts(fmt::format("player {}{}:", players.front(),
                          players.size() > 1 ? fmt::format(" and {} more", players.size() - 1) : "")
                  .c_str());
    for (const std::string& line : lines) std::puts(("  " + line).c_str());
  }
  return false;
}

Expected<bool, RecordedFile::OpenError> play_to(const ReplayCommandOptions& options, const Endpoint& to,
                                                const config::Config& config) {
  const auto failed = [](const std::string& why) { return RecordedFile::OpenError{kFailed, why}; };
  const auto found = open_files(options, true, open_words);
  if (!found) return found.error();
  if (!found->damage.empty())
    log_warn("the recording is damaged and plays only as far as it can be read: {}", found->damage);
  const std::uint32_t link = link_to_play(*found, options.link);
  const auto recorded = RecordedPlayer::read(*found, link);
  if (!recorded) return failed(recorded.error().text);
  const std::string name = !options.as.empty() ? options.as : recorded->name.empty() ? "replay" : recorded->name;
  log_info("link {}: {} wishes in {}, said to {} as {}", link, recorded->wishes.size(),
           time_text(recorded->last - recorded->first), options.to, name);
  PlayedBack results;
  BotRun run;
  run.to = to;
  run.count = options.count;
  run.each.name = name;
  run.make = [&](std::uint32_t number, const core::BotOptions& each) {
    return std::make_unique<PlayingBack>(*recorded, results, number, each.name);
  };
  const auto played = play(run, config);
  if (!played) return failed(played.error().text);
  return report(*recorded, results, played->sum, options.count);
}

/// An option that only a replay to clients has; "": none is given.
std::string_view option_for_clients(const ReplayCommandOptions& options) {
  if (!options.listen.empty()) return "--listen";
  if (options.at != "0") return "--at";
  if (options.speed != 1) return "--speed";
  if (options.paused) return "--paused";
  if (options.loop) return "--loop";
  return options.shared ? "--shared" : "";
}

int run_playing_to(const ReplayCommandOptions& options) {
  if (const auto other = option_for_clients(options); !other.empty())
    return replay_error("--to does not go with " + std::string(other));
  const auto to = parse_to(options.to, games());
  if (!to) return replay_error("--to " + to.error().text);
  if (const auto why = objection_to_playing(*to)) return replay_error("--to " + why->text);
  config::Config config = default_config();
  config.mutable_limits()->set_ready_ms(kServerPatience);
  apply(options.log, *config.mutable_log());
  apply(options.control, config);
  if (const auto started = start_log(config.log()); !started) return report_failure(started.error());
  const auto played = play_to(options, *to, config);
  stop_log();
  if (!played) return refused(played.error());
  return *played ? kOk : kFailed;
}

Expected<Done, RecordedFile::OpenError> replay(const ReplayCommandOptions& options, core::Micros at,
                                               const config::Config& config) {
  const auto failed = [](const std::string& why) { return RecordedFile::OpenError{kFailed, why}; };
  auto session = open_files(options, false, open_playable);
  if (!session) return session.error();
  if (const core::Micros end = (*session)->end_time(); at > end)
    return failed("--at " + time_text(at) + " is after the end of the recording, which is " + time_text(end) + " long");
  const std::string& file = options.files.front();
  const bool is_file = options.files.size() == 1 && !file.starts_with(kOfFleet) && !is_piped(file);
  const auto shown = show(config, std::move(*session),
                          {at, options.speed, options.paused, options.loop, options.shared,
                           is_file ? std::filesystem::path(file).filename().string() : ""},
                          options.listen);
  if (!shown) return failed(shown.error().text);
  return Done{};
}

}  // namespace

void declare_replay(CLI::App& app, ReplayCommandOptions& options) {
  app.add_option(
         "FILE", options.files,
         std::string(kReadableFiles) +
             ". A file without words is translated first. If that takes longer than a second, the words are kept in "
             "FILE.words.mcap. Several recordings (MCAP), in any order, are joined first, as by `entente join`. "
             "fleet:NAME is a "
             "recording that a fleet stores (see --fleet). If several nodes have a recording of that name, write "
             "fleet:NODE/NAME")
      ->required();
  app.add_option("--listen", options.listen,
                 "Address to listen on: game://address:port?dialect=name (port 0: any free port). May be repeated. "
                 "native+ws://address:port?dialect=json also serves a web page to watch, http://address:port/")
      ->type_name("URL")
      ->allow_extra_args(false);
  app.add_option("--to", options.to,
                 "Server to play the session's player to, instead of clients: game://host:port?dialect=name. What the "
                 "player wished is said to it, at the recorded times. At the end, what the server answered differently "
                 "is printed, and the exit code is 1 if there is such")
      ->type_name("URL");
  app.add_option("--as", options.as, "Name of the player on that server (default: the recorded one)")
      ->type_name("NAME");
  app.add_option("--count", options.count,
                 "Number of players who play it there; one joins every 100 ms, and a number follows each name (1 to "
                 "1000, default: 1)")
      ->check(integer_from(1, 1000))
      ->type_name("N");
  app.add_option("--link", options.link,
                 "Play only the session with this link number; the log lists the numbers. Without this option, the "
                 "longest session is played, and other sessions on the same server fill the time before and after it")
      ->check(integer_from(1, kLargestLinkId))
      ->type_name("N");
  app.add_option("--at", options.at, "Time at which viewers start, such as 75, 75.5 or 1:15 (default: 0)")
      ->type_name("TIME");
  app.add_option("--speed", options.speed,
                 fmt::format("Playback speed ({} to {}, default: 1)", core::Replay::kSlowest, core::Replay::kFastest))
      ->check([](const std::string& text) {
        const auto speed = parse_speed(text);
        return speed ? std::string() : speed.error().text;
      })
      ->type_name("X");
  app.add_flag("--paused", options.paused,
               "Start paused. `entente ctl resume` starts playback; without --shared, viewers can, too");
  app.add_flag("--loop", options.loop,
               "Start again at the end. Without --loop, viewers stay at the end. (With --shared, but without --loop, "
               "the program exits there.)");
  app.add_flag(
      "--shared", options.shared,
      "One clock for all viewers, which only `entente ctl` controls. Without this option, each viewer has a clock, and "
      "controls it by chat (/help), in the browser, or with a program that uses the `native` protocol; `entente ctl` "
      "controls all of them at once");
  app.add_option(
         "--fleet", options.fleet,
         "Configuration file whose [fleet] names an account of NATS with the role `reader`. Only its [fleet] is used")
      ->type_name("CONFIG");
  declare_reading(app, options.input);
  declare_back_settings(app, options.set, "For a file without words: a");
  declare_control_options(app, options.control);
  declare_log_options(app, options.log);
}

int run_replay(const ReplayCommandOptions& options) {
  if (!options.to.empty()) return run_playing_to(options);
  if (options.listen.empty()) return replay_error("--listen is required (or --to, to play to a server)");
  if (!options.as.empty() || options.count != 1) return replay_error("--as and --count need --to");
  const auto at = parse_time(options.at);
  if (!at) return replay_error("--at " + at.error().text);
  for (const std::string& url : options.listen)
    if (const auto end = parse_shared_listen(url, games()); !end) return replay_error("--listen " + end.error().text);
  config::Config config = default_config();
  apply(options.log, *config.mutable_log());
  apply(options.control, config);
  if (const auto started = start_log(config.log()); !started) return report_failure(started.error());
  const auto replayed = replay(options, *at, config);
  stop_log();
  return replayed ? kOk : refused(replayed.error());
}

}  // namespace entente
