#include <algorithm>
#include <iterator>
#include <utility>

#include "tests/lab/kernel/disk.h"
#include "tests/lab/operated.h"

namespace entente::lab {
namespace {

constexpr std::size_t kMostActs = 8;
constexpr Nanos kStartsWithin = 5 * kSecond;  // again, as the service manager does it
constexpr const char* kMild[] = {"reload",  "broken reload", "upgrade", "command", "reload",
                                 "upgrade", "command",       "ban",     "ban"};
constexpr const char* kHarsh[] = {
    "kill the server",     "stop the server",  "kill the program",    "kill the newest",       "kill the oldest",
    "crash the machine",   "stop the program", "freeze the program",  "freeze the players",    "cut the server off",
    "cut the players off", "fill the disk",    "step the wall clock", "run out of descriptors"};
constexpr const char* kCommands[] = {"list",   "routes", "servers",    "stats",       "listeners", "bans",
                                     "access", "rules",  "recordings", "say hear ye", "drain",     "kick"};

/// Faults that relays make on purpose, and that cost nobody anything.
constexpr const char* kLabs[] = {"", "delay=50ms±20ms", "slice=10-1000, delay=10ms", "stall=1%:300ms; seed=3"};

/// What is wrong with a configuration, and how the text gets it.
struct Broken {
  const char *what, *text;
};
constexpr Broken kBroken[] = {
    {"a key that nobody knows", "\n[limits]\nsesions = 3\n"},
    {"no syntax", "\n[[route\n"},
    {"a game that nobody knows",
     "\n[[route]]\nlisten = \"chess://10.0.1.1:5901\"\nto = \"bzflag://10.0.2.1:7006?dialect=2.4\"\n"},
    {"an arena that is not there",
     "\n[[route]]\nlisten = \"native://10.0.1.1:5902?dialect=json\"\nto = \"bzflag://10.0.2.1:7006?dialect=2.4\"\n"
     "hold_s = 5\nwhile_down = \"arena nowhere\"\n"},
    {"a number that is too large", "\n[limits]\nsessions = 4000000000\n"},
    {"a certificate whose key is another one's",
     "\n[[route]]\nlisten = \"ogar+wss://10.0.1.1:5903?dialect=modern3&cert=/lab/cert.pem&key=/lab/other.pem\"\n"
     "to = \"bzflag://10.0.2.1:7006?dialect=2.4\"\n"},
    {"a file that is not there",
     "\n[[hook]]\nname = \"late\"\nurl = \"http://10.0.5.1/\"\nevents = \"join\"\ntoken_file = \"/lab/none\"\n"},
};

}  // namespace

/// What happens, and when.
std::vector<Operated::Act> Operated::acts() {
  std::vector<Act> all;
  for (std::size_t i = 0; i < kMostActs; ++i) {
    Act act{"act " + std::to_string(i), "", 0, 0};
    Draw draw = plan_.draw(act.name);
    act.kind = harsh_ && draw.chance(0.5) ? draw.one_of(kHarsh) : draw.one_of(kMild);
    act.at = draw.time(500, 60'000);
    act.lasts = draw.time(0, 20'000);
    act.name += ": " + act.kind;
    if (plan_.has(act.name, 0.7)) all.push_back(act);
  }
  return all;
}

void Operated::carry_out(const Act& act) {
  sleep(act.at);
  if (over_) return;
  plan_.tell(act.name + ", for " + std::to_string(act.lasts / kMilli) + " ms");
  if (act.kind == "reload") return reload(act);
  if (act.kind == "broken reload") return reload_broken(act);
  if (act.kind == "upgrade") return upgrade(act);
  if (act.kind == "command") return command(act);
  if (act.kind == "ban") return order_ban(act);
  if (act.kind == "kill the server" || act.kind == "stop the server") return restart_server(act);
  if (act.kind.starts_with("kill") || act.kind == "stop the program") return end(act);
  if (act.kind == "crash the machine") return crash();
  hamper(act);
}

void Operated::restart_server(const Act& act) {
  if (!server_.runs()) return;
  if (act.kind == "kill the server")
    server_.kill();
  else if (!server_.stop(act.lasts + 40 * kSecond))
    return wrong("the server does not stop");
  sleep(act.lasts);
  if (!start_server()) wrong("the server does not start again");
}

void Operated::end(const Act& act) {
  auto all = service_.running();
  if (all.empty()) return;
  if (act.kind == "kill the newest") all = {all.back()};
  if (act.kind == "kill the oldest") all = {all.front()};
  for (const std::size_t process : all)
    act.kind == "stop the program" ? service_.stop(process) : service_.kill(process);
  sleep(kStartsWithin);
  check_bans();
}

/// Crashes the program's machine, which comes up again at once. Peers that say nothing notice it late.
void Operated::crash() {
  service_.crash();
  kernel().disk().tear();
  sleep(kStartsWithin);
  check_bans();
  sleep(kNoticesSilence);
}

void Operated::hamper(const Act& act) {
  const Nanos until = kernel().now() + act.lasts;
  const auto all = service_.running();
  if (act.kind == "freeze the program")
    for (const std::size_t process : all) kernel().freeze(process, until);
  if (act.kind == "freeze the players") kernel().freeze(players_.number(), until);
  if (act.kind == "cut the server off") kernel().cut(kProxyHost, kServerHost, until);
  if (act.kind == "cut the players off") kernel().cut(kPlayerHost, kProxyHost, until);
  if (act.kind == "fill the disk")
    kernel().disk().faults.room = kernel().disk().used() + plan_.draw("room of " + act.name).number(0, 200);
  if (act.kind == "step the wall clock") {
    Draw draw = plan_.draw("step of " + act.name);
    const auto by = static_cast<std::int64_t>(draw.time(1, 50ULL * 86'400'000));
    kernel().step_wall(draw.chance(0.5) ? by : -by);
  }
  const bool starves = act.kind == "run out of descriptors" && !all.empty();
  if (starves) kernel().limit_files(all.back(), kernel().open_files(all.back()));
  sleep(act.lasts);
  if (act.kind == "fill the disk") kernel().disk().faults.room = UINT64_MAX;
  if (starves) kernel().limit_files(all.back(), Kernel::kMost);
}

std::string Operated::ask(const std::string& line) { return service_.ask(line, !harsh_ || over_); }

void Operated::command(const Act& act) {
  Draw draw = plan_.draw("command of " + act.name);
  const std::string line = draw.one_of(kCommands);
  if (line == "kick") {
    const auto& people = crowd_.people();
    if (people.empty()) return;
    const std::string name = people[draw.number(0, 100) % people.size()]->name;
    sent_away_.insert(name);
    (void)ask("kick name:" + name + " go home");
    return;
  }
  const Nanos began = kernel().now();
  const std::string answer = ask(line);
  if (!harsh_ && !answer.starts_with("ok") && line != "drain") wrong("`" + line + "` is answered: " + answer);
  if (line != "drain") return;
  sleep(act.lasts);
  (void)ask("undrain");
  closed_.emplace_back(began, kernel().now());
}

void Operated::order_ban(const Act& act) {
  Draw draw = plan_.draw("ban of " + act.name);
  const auto given = bans_.give(draw, [this](const std::string& line) { return ask(line); });
  if (!harsh_ && given.bans && !given.done()) wrong("a ban is answered: " + given.answer);
}

void Operated::reload(const Act& act) {
  kernel().wait([this] { return reloading_ == 0; });
  ++reloading_;
  Draw draw = plan_.draw("reload of " + act.name);
  edition_.text = "text " + std::to_string(draw.number(0, 5));
  edition_.has_spare_route = draw.chance(0.5);
  edition_.check = draw.number(1, 10) * kSecond;
  edition_.holds = draw.chance(0.7);
  edition_.title = draw.chance(0.5) ? "first" : "second";
  edition_.addresses = draw.chance(0.5);
  const bool was_later = std::exchange(edition_.later, draw.chance(0.3));
  edition_.lab = draw.one_of(kLabs);
  if (draw.chance(0.5)) put_rules(act.name);
  if (plan_.draw("log of " + act.name).chance(0.5)) service_.move_log();
  if (plan_.draw("certificate of " + act.name).chance(0.5)) put_certificate(++serial_);
  receiver_.reload(), tool_.reload();
  const Nanos began = kernel().now();
  const bool reloaded = service_.reload(configuration(edition_), !harsh_);
  if (edition_.later != was_later) ending_.emplace_back(began, kernel().now() + kToldWithin);
  receiver_.reload(), tool_.reload();
  if (reloaded && !harsh_) check_certificates();
  --reloading_;
}

/// A broken configuration changes nothing, and is told.
void Operated::reload_broken(const Act& act) {
  kernel().wait([this] { return reloading_ == 0; });
  ++reloading_;
  Draw draw = plan_.draw("mistake of " + act.name);
  const Broken& broken = draw.one_of(kBroken);
  const std::string before = harsh_ ? "" : ask("listeners");
  service_.configure(configuration(edition_) + broken.text);
  const std::uint64_t told = service_.reload_failures();
  const std::string answer = ask("reload");
  service_.configure(configuration(edition_));
  if (!harsh_) {
    sleep(kSecond / 10);  // the log has a thread of its own
    if (!answer.starts_with("error: "))
      wrong(std::string("a configuration with ") + broken.what + " is answered: " + answer);
    if (const auto times = service_.reload_failures() - told; times != 1)
      wrong(std::string("a configuration with ") + broken.what + " is told " + std::to_string(times) + " times");
    if (const std::string after = ask("listeners"); after != before)
      wrong(std::string("a configuration with ") + broken.what + " changes " + before + " to " + after);
  }
  --reloading_;
}

void Operated::upgrade(const Act& act) {
  upgrades_ = true;
  ending_.emplace_back(kernel().now(), kNever);
  Draw draw = plan_.draw("upgrade of " + act.name);
  const std::string line = draw.chance(0.5) ? "upgrade" : "upgrade --wait";
  std::thread killing;
  if (harsh_ && draw.chance(0.5)) {
    const bool newest = draw.chance(0.5);
    const Nanos after = draw.number(0, draw.chance(0.5) ? 50 : 1'000) * kMilli;
    killing = std::thread([this, newest, after] {
      sleep(after);
      const auto all = service_.running();
      if (all.empty()) return;
      const std::size_t process = newest ? all.back() : all.front();
      plan_.tell("process " + std::to_string(Processes::pid_of(process)) + " is killed meanwhile");
      service_.kill(process);
    });
  }
  service_.upgrade(line, !harsh_);
  if (killing.joinable()) killing.join();
}

}  // namespace entente::lab
