#include "tests/lab/service.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <sstream>
#include <thread>
#include <utility>

#include "proxy/net/local_acceptor.h"
#include "proxy/program/cli.h"
#include "proxy/relay/base/reason.h"
#include "tests/lab/games.h"
#include "tests/lab/kernel/disk.h"

namespace entente::lab {
namespace {

constexpr Nanos kStartsAgainAfter = 2 * kSecond, kAnswersWithin = 5 * kSecond;
constexpr std::size_t kLeftAtEnd = 1U << 20U, kMap = 12U << 20U;  // bytes: tables that are made once; a map

/// How many events a line of the log stands for.
std::uint64_t times(std::string_view line) { return 1 + number_after(line, " (and "); }

/// Whether a line of the log has more than one beginning, such as "2027-01-15T08:00:00.000Z info ".
bool has_several(const std::string& line) {
  std::size_t beginnings = 0;
  for (std::size_t at = 0; (at = line.find("Z ", at + 1)) != std::string::npos;)
    if (at >= 23 && line[at - 4] == '.' && line[at - 13] == 'T' && line[at - 16] == '-') ++beginnings;
  return beginnings > 1;
}

bool is_entente(std::string_view name) { return name != Processes::kShell && name != Processes::kTool; }

void sleep(Nanos time) { std::this_thread::sleep_for(std::chrono::nanoseconds(time)); }

}  // namespace

std::string url(const Speech& its, const Place& at) {
  const std::string transport = its.game->transport() == wire::Transport::kWebSocket ? (its.tls ? "+wss" : "+ws") : "";
  return std::string(its.game->name()) + transport + "://" + address(at).text() +
         "?dialect=" + std::string(its.game->dialects()[its.dialect].name);
}

std::set<std::string> first_fields(const std::string& answer) {
  std::set<std::string> all;
  std::istringstream lines(answer);
  for (std::string line; std::getline(lines, line);) all.insert(line.substr(0, line.find('\t')));
  return all;
}

std::uint64_t number_after(std::string_view line, std::string_view key) {
  const std::size_t at = line.find(key);
  std::uint64_t number = 0;
  if (at != std::string_view::npos) std::from_chars(line.data() + at + key.size(), line.data() + line.size(), number);
  return number;
}

// -- Processes --------------------------------------------------------------------------------------------------------

void Service::prepare(std::vector<Service*> all) {
  const auto main = [all](int count, const char* const* arguments) {
    const std::string_view name = arguments[0];
    if (is_entente(name)) return run_cli(count, arguments);
    for (const Service* one : all) {
      if (one->its_.host != kernel().host()) continue;
      if (name == Processes::kShell && one->its_.shell) return one->its_.shell(arguments[2]);
      if (name == Processes::kTool && one->its_.tool)
        return one->its_.tool(kernel().processes().descriptors(kernel().program()));
    }
    return 127;
  };
  kernel().processes().set_main(main, [all = std::move(all)](auto process, const auto& path, auto text) {
    for (Service* one : all)
      if (one->its_.host == kernel().host_of(process)) one->hear(process, path, text);
  });
}

void Service::configure(const std::string& text) const { kernel().disk().put(its_.config, as_bytes(text)); }

void Service::start() {
  const std::size_t process = kernel().processes().start(its_.host, {"entente", "run", its_.config});
  processes_[process].alive_at = kernel().now();
  main_ = process;
  plan_.tell(called(process) + " starts");
}

void Service::serve() {
  while (!stops_) {
    if (const auto code = kernel().processes().ended(main_)) {
      const Known& its = processes_[main_];
      if (its.served && !its.stops && !its.killed)
        wrong(called(main_) + " ended by itself with " + std::to_string(*code));
      for (const std::size_t process : running()) {
        stop(process);
        if (!await_end(process)) kill(process);
      }
      sleep(kStartsAgainAfter);
      if (!stops_) start();
    }
    Known& its = processes_[main_];
    const Nanos alive_at = std::max(its.alive_at, kernel().frozen_until(main_));
    if (!its.stops && kernel().now() > alive_at + Processes::kWatchdog) {
      wrong(called(main_) + " does not tell the service manager that it is alive");
      its.alive_at = kNever - Processes::kWatchdog;
    }
    sleep(kSecond / 4);
  }
}

std::vector<std::size_t> Service::running() const {
  std::vector<std::size_t> all;
  for (std::size_t program = 0; program < kernel().programs(); ++program)
    if (kernel().processes().has(program) && kernel().host_of(program) == its_.host &&
        is_entente(kernel().processes().arguments(program).front()) && !kernel().processes().ended(program))
      all.push_back(program);
  return all;
}

std::optional<std::size_t> Service::alone() const {
  const auto all = running();
  return all.size() == 1 ? std::optional(all.front()) : std::nullopt;
}

/// The second SIGTERM ends a process at once.
void Service::stop(std::size_t process) {
  Known& its = processes_[process];
  its.killed = its.killed || its.stops;
  its.stops = true;
  kernel().processes().signal(process, SIGTERM);
}

void Service::kill(std::size_t process) {
  processes_[process].killed = true;
  kernel().processes().signal(process, SIGKILL);
}

void Service::crash() {
  for (const std::size_t process : running()) processes_[process].killed = true;
  kernel().processes().crash(its_.host);
}

bool Service::await_end(std::size_t process) const {
  return kernel().wait([process] { return kernel().is_over(process); }, kernel().now() + kStopsWithin);
}

bool Service::close(bool has_players) {
  if (!has_players) kernel().wait([this] { return running().size() <= 1; }, kernel().now() + kStopsWithin);
  const auto left = running();
  if (!has_players && left.size() > 1)
    return wrong(std::to_string(left.size()) + " processes run without players"), false;
  end();
  for (const std::size_t process : left) {
    stop(process);
    if (!await_end(process)) return wrong("the program does not stop"), false;
  }
  return true;
}

bool Service::await_empty(Nanos until) {
  // "ok", the names of the columns, and the spectators of broadcasts, who stay.
  const auto is_empty = [this] {
    std::istringstream lines(ask("list", true));
    std::size_t count = 0;
    for (std::string line; std::getline(lines, line);) count += line.find("\tbroadcast") == std::string::npos ? 1 : 0;
    return count == 2;
  };
  while (!is_empty())
    if (sleep(kSecond); kernel().now() > until) return wrong("sessions go on without their players"), false;
  return true;
}

bool Service::reload(const std::string& configuration, bool must) {
  configure(configuration);
  const bool alone = running().size() == 1;
  const std::string answer = ask("reload", must);
  const bool busy = answer.find("takes over") != std::string::npos || answer.find("taken over") != std::string::npos;
  if (must && !answer.starts_with("ok") && !busy) wrong("a reload is refused: " + answer);
  if (!alone || running().size() != 1 || !answer.starts_with("ok")) return false;
  if (answer.find("old file") != std::string::npos) return true;
  for (const std::string& file : kernel().disk().names())
    if (!its_.log.empty() && file.starts_with(its_.log + "."))
      moved_.try_emplace(file, kernel().disk().look(file)->bytes.size());
  return true;
}

void Service::move_log() {
  if (!its_.log.empty()) (void)kernel().disk().rename(its_.log, its_.log + "." + std::to_string(++moves_), true);
}

void Service::upgrade(const std::string& command, bool must) {
  const std::string answer = ask(command, must);
  if (must && !answer.starts_with("ok") && answer.find("an upgrade is in progress") == std::string::npos &&
      answer.find("takes over") == std::string::npos)
    wrong("an upgrade is answered: " + answer);
}

std::string Service::ask(const std::string& line, bool must) {
  const Nanos began = kernel().now();
  const auto answer = net::ask_local(its_.socket, line);
  plan_.tell(its_.name + "`" + line + "`: " + (answer ? *answer : answer.error().text));
  if (!must) return answer ? *answer : "";
  if (!answer) wrong("`" + line + "` is not answered: " + answer.error().text);
  if (kernel().now() > began + kAnswersWithin)
    wrong("`" + line + "` is answered after " + std::to_string((kernel().now() - began) / kMilli) + " ms");
  return answer ? *answer : "";
}

// -- What it tells ----------------------------------------------------------------------------------------------------

/// As a service manager.
void Service::hear_state(std::size_t process, std::string_view state) {
  if (state.find("WATCHDOG=1") != std::string_view::npos || state.find("READY=1") != std::string_view::npos)
    processes_[process].alive_at = kernel().now();
  const auto pid = number_after(state, "MAINPID=");
  if (pid == 0 || process != main_) return;
  main_ = pid - Processes::kFirstPid;
  processes_[main_].alive_at = kernel().now();
}

void Service::hear(std::size_t process, const std::string& path, std::string_view text) {
  if (path == Processes::kManager) return hear_state(process, text);
  const bool is_log = !path.empty();
  if (is_log && path != its_.log) return;
  Known& its = processes_[process];
  std::string& line = is_log ? its.logs : its.prints;
  line += text;
  if (is_log) logged_bytes_ += text.size();
  for (std::size_t end = 0; (end = line.find('\n')) != std::string::npos; line.erase(0, end + 1)) {
    if (is_log) logged_.insert(line.substr(0, end));
    hear_line(process, std::string_view(line).substr(0, end));
  }
}

void Service::hear_line(std::size_t process, std::string_view line) {
  plan_.tell(its_.name + std::to_string(Processes::pid_of(process)) + ": " + std::string(line));
  Known& its = processes_[process];
  const auto has = [line](std::string_view what) { return line.find(what) != std::string_view::npos; };
  if (line.starts_with("listening ")) its.served = true;
  if (has("session ") && has(" opened: ")) its.opened += times(line);
  if (has("session ") && has(" closed: ")) its.closed += times(line);
  if (has(" refused ") && has("): ")) its.refused += times(line);
  if (has("configuration not reloaded")) ++its.reload_failures;
  if (line.starts_with("served")) {
    its.counted_sessions += number_after(line, " sessions=");
    its.counted_refused += number_after(line, " refused=");
  }
  // Nobody here breaks a rule.
  using relay::Reason;
  for (const Reason accuses : {Reason::kBadFrame, Reason::kProtocolFault, Reason::kBadRequest, Reason::kDialectMismatch,
                               Reason::kDialectUnknown, Reason::kBanned, Reason::kNotAllowed,
                               Reason::kServerProtocolError, Reason::kClientDialect, Reason::kNotProxy})
    if (has(std::string(" closed: ") + relay::text(accuses)) ||
        (has(" refused ") && has(std::string("): ") + relay::text(accuses))))
      wrong(std::string(line));
  if (its_.heard) its_.heard(process, line);
}

// -- What must hold ---------------------------------------------------------------------------------------------------

void Service::check() {
  for (const auto& [process, its] : processes_)
    if (!its.killed && its.served) check(process, its);
  if (!its_.log.empty()) check_log();
  if (killed_any()) return;
  for (const std::string& file : kernel().disk().names())
    if (file.starts_with(its_.socket)) wrong(file + " is left");
}

void Service::check(std::size_t process, const Known& its) {
  const std::string name = called(process);
  const auto& processes = kernel().processes();
  if (const auto files = processes.files_left(process); files != 0)
    wrong(name + " leaves " + std::to_string(files) + " descriptors");
  const auto bytes = processes.heap_left(process);
  plan_.tell(name + " leaves " + std::to_string(bytes) + " bytes");
  if (bytes > kLeftAtEnd + (has_maps_ ? kMap : 0)) wrong(name + " leaves " + std::to_string(bytes) + " bytes");
  // 1: the disk had no room for the end of a recording.
  if (const auto code = processes.ended(process); code != 0 && (code != 1 || !kernel().disk().harmed()))
    wrong(name + " ended with " + std::to_string(code.value_or(-1)));
  if (const auto threads = processes.threads_left(process); threads != 0)
    wrong(name + " leaves " + std::to_string(threads) + " threads");
  if (lost_lines()) return;
  // Sessions whose servers do not answer end without having opened. Some refused clients had a session.
  if (its.opened > its.closed + its.refused || its.closed > its.counted_sessions ||
      its.counted_sessions > its.closed + its.refused || its.refused != its.counted_refused)
    wrong(name + " counted " + std::to_string(its.counted_sessions) + " sessions and " +
          std::to_string(its.counted_refused) + " refusals, and told that " + std::to_string(its.opened) +
          " sessions opened and " + std::to_string(its.closed) + " closed, and of " + std::to_string(its.refused) +
          " refusals");
}

/// Unless the machine has crashed, its files have each line that was written, as a whole. Those that were moved away
/// before a reload do not grow.
void Service::check_log() const {
  if (kernel().disk().torn()) return;
  std::multiset<std::string> lines;
  std::size_t bytes = 0;
  for (const std::string& file : kernel().disk().names()) {
    if (!file.starts_with(its_.log)) continue;
    const Bytes all = kernel().disk().look(file)->bytes;
    bytes += all.size();
    if (const auto moved = moved_.find(file); moved != moved_.end() && moved->second != all.size())
      wrong(file + " grows after a reload");
    std::istringstream text(std::string(all.begin(), all.end()));
    for (std::string line; std::getline(text, line); lines.insert(line))
      if (has_several(line)) wrong("a line of the log goes on after another one's beginning: " + line);
  }
  if (bytes != logged_bytes_)
    wrong("the log has " + std::to_string(bytes) + " bytes, and " + std::to_string(logged_bytes_) + " were written");
  if (lines != logged_ && !lost_lines()) wrong("the log has torn lines");
}

bool Service::lost_lines() const { return !its_.log.empty() && (kernel().disk().harmed() || kernel().disk().torn()); }

bool Service::killed_any() const {
  return std::any_of(processes_.begin(), processes_.end(), [](const auto& one) { return one.second.killed; });
}

std::uint64_t Service::reload_failures() const {
  std::uint64_t sum = 0;
  for (const auto& [process, its] : processes_) sum += its.reload_failures;
  return sum;
}

std::size_t Service::sessions() const {
  std::size_t sum = 0;
  for (const auto& [process, its] : processes_) sum += its.opened;
  return sum;
}

std::string Service::called(std::size_t process) const {
  return its_.name + "process " + std::to_string(Processes::pid_of(process));
}

void Service::wrong(const std::string& what) const { verdict_.wrong.push_back(its_.name + what); }

}  // namespace entente::lab
