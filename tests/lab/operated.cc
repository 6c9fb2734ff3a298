#include "tests/lab/operated.h"

#include <algorithm>
#include <charconv>

#include "proxy/program/cli.h"
#include "proxy/trace/recording.h"
#include "tests/lab/kernel/disk.h"

namespace entente::lab {
namespace {

constexpr Nanos kStartsAgainAfter = 2 * kSecond;

std::string url(const Speech& its, const Place& at) {
  const std::string transport = its.game->transport() == wire::Transport::kWebSocket ? "+ws" : "";
  return std::string(its.game->name()) + transport + "://" + address(at).text() +
         "?dialect=" + std::string(its.game->dialects()[its.dialect].name);
}

/// Whether clients of this game can go into another world.
bool may_meanwhile(const Speech& its) {
  return its.game->name() == "aos" || its.game->name() == "ogar" || its.game->name() == "native";
}

std::string quoted(const std::string& text) { return "\"" + text + "\""; }

constexpr std::size_t kLeftAtEnd = 12U << 20U;  // bytes; a worker keeps a map of Ace of Spades

/// The number after `key` in a line; 0: there is none.
std::uint64_t number_after(std::string_view line, std::string_view key) {
  const std::size_t at = line.find(key);
  std::uint64_t number = 0;
  if (at != std::string_view::npos) std::from_chars(line.data() + at + key.size(), line.data() + line.size(), number);
  return number;
}

/// How many events a line of the log stands for.
std::uint64_t times(std::string_view line) { return 1 + number_after(line, " (and "); }

}  // namespace

Operated::Operated(Plan& plan, Verdict& verdict)
    : Games(plan, verdict, 3), harsh_(plan.has("harsh", 0.6)), records_(plan.has("recording", 0.5)) {}

// -- The program ------------------------------------------------------------------------------------------------------

std::string Operated::configuration(const Edition& edition) const {
  std::string text = "workers = " + std::to_string(plan_.draw("workers").number(1, 3)) + "\n";
  text += "[log]\nlevel = " + quoted(edition.level) + "\n[control]\nsocket = " + quoted(kSocket) + "\n";
  text += "[texts]\nserver_down = " + quoted(edition.text) + "\n";
  if (records_)
    text += "[recording]\ndirectory = \"/lab\"\nchunk_bytes = 65536\nrotate_s = " +
            std::to_string(plan_.draw("rotation").number(0, 60)) + "\n";
  const std::string record = records_ ? "record = \"{game}-{route}-{time}.mcap\"\n" : "";
  std::string arena;
  for (const Way& way : ways_) {
    const std::string listen = quoted(url(way.clients, way.listen));
    if (way.into_arena) {
      arena += (arena.empty() ? "" : ", ") + listen;
      continue;
    }
    text += "[[route]]\nlisten = " + listen + "\nto = " + quoted(url(way.server, server_for(way.server))) + "\n" +
            record + "check_s = " + std::to_string(edition.check / kSecond) + "\n";
    if (way.hold != 0 && edition.holds) text += "hold_s = " + std::to_string(way.hold / kSecond) + "\n";
    if (way.hold != 0 && edition.holds && way.plays_meanwhile && way.clients != way.server &&
        may_meanwhile(way.clients))
      text += "while_down = \"arena lobby\"\n";
  }
  if (edition.has_spare_route)
    text += "[[route]]\nlisten = " + quoted(url(speech("bzflag", "2.4"), {kProxyHost, 5900})) +
            "\nto = " + quoted(url(speech("bzflag", "2.4"), server_for(speech("bzflag", "2.4")))) + "\n";
  if (arena.empty()) arena = quoted(url(speech("native", "json"), {kProxyHost, 5800}));
  text += "[[arena]]\nname = \"lobby\"\nseats = 32\nside = 80\nlisten = [" + arena + "]\n";
  return text;
}

void Operated::write_configuration(const std::string& text) const {
  kernel().disk().put(kConfig, {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
}

void Operated::start_process() {
  const std::size_t process = kernel().processes().start(kProxyHost, {"entente", "run", kConfig});
  processes_[process];
  main_ = process;
  plan_.tell("process " + std::to_string(Processes::pid_of(process)) + " starts");
}

std::vector<std::size_t> Operated::running() const {
  std::vector<std::size_t> all;
  for (std::size_t program = 0; program < kernel().programs(); ++program)
    if (kernel().processes().has(program) && !kernel().processes().ended(program)) all.push_back(program);
  return all;
}

/// As a service manager (deploy/entente.service): if the main process has ended, what is left is ended, too, and the
/// program is started again.
void Operated::serve() {
  while (!stops_) {
    if (kernel().processes().ended(main_)) {
      for (const std::size_t process : running()) {
        stop(process);
        if (!await_end(process)) kill(process);
      }
      sleep(kStartsAgainAfter);
      if (!stops_) start_process();
    }
    sleep(kSecond / 4);
  }
}

void Operated::hear(std::size_t process, std::string_view text) {
  Known& its = processes_[process];
  its.line += text;
  for (std::size_t end = 0; (end = its.line.find('\n')) != std::string::npos; its.line.erase(0, end + 1))
    hear_line(process, std::string_view(its.line).substr(0, end));
}

void Operated::hear_line(std::size_t process, std::string_view line) {
  plan_.tell(std::to_string(Processes::pid_of(process)) + ": " + std::string(line));
  Known& its = processes_[process];
  const auto has = [line](std::string_view what) { return line.find(what) != std::string_view::npos; };
  if (line.starts_with("listening ")) its.served = true;
  if (has("session ") && has(" opened: ")) its.opened += times(line);
  if (has("session ") && has(" closed: ")) its.closed += times(line);
  if (has(" refused ") && has("): ")) its.refused += times(line);
  if (has("configuration not reloaded")) ++its.reload_failures;
  if (process == main_ && has(" has taken over; "))
    main_ = number_after(line, " process ") - Processes::kFirstPid;  // as it tells the service manager
  if (line.starts_with("served")) {
    its.counted_sessions += number_after(line, " sessions=");
    its.counted_refused += number_after(line, " refused=");
  }
  // Nobody here breaks a rule.
  using relay::Reason;
  for (const Reason accuses : {Reason::kBadFrame, Reason::kProtocolFault, Reason::kBadRequest, Reason::kDialectMismatch,
                               Reason::kDialectUnknown, Reason::kBanned, Reason::kNotAllowed})
    if (has(std::string(" closed: ") + relay::text(accuses)) || has(std::string("): ") + relay::text(accuses)))
      wrong(std::string(line));
}

// -- A life -----------------------------------------------------------------------------------------------------------

void Operated::live() {
  kernel().processes().set_main([](int count, const char* const* arguments) { return run_cli(count, arguments); },
                                [this](std::size_t process, std::string_view text) { hear(process, text); });
  write_configuration(configuration(edition_));
  start_process();
  if (!server_.start()) return;
  kernel().wait([this] { return processes_.begin()->second.served; }, kernel().now() + kInWithin);
  if (!players_.start()) return;
  std::thread serving([this] { serve(); });
  std::thread keeping([this] { keep_players(); });
  if (!harsh_) sleep(10 * kSecond);  // everybody comes
  std::vector<std::thread> acting;
  for (const Act& act : acts()) acting.emplace_back([this, act] { carry_out(act); });
  sleep(plan_.draw("length").time(5'000, 90'000));
  for (std::thread& one : acting) one.join();

  plan_.tell("all is calm");
  kernel().faults = Faults();
  kernel().disk().faults = {};
  if (harsh_) sleep(5 * kSecond);  // players notice who is gone
  await_all();
  if (!harsh_) check_nobody_was_sent_away();
  over_ = true;
  keeping.join();
  if (const std::string answer = ask("routes"); !answer.starts_with("ok")) wrong("`routes` is answered: " + answer);
  const bool closed = close();
  stops_ = true;
  serving.join();
  if (closed) check_processes();
}

/// The players leave, and then the program is stopped. False: something does not end.
bool Operated::close() {
  plan_.tell("stopping the players");
  if (!players_.stop(kStopsWithin)) return wrong("the players do not stop"), false;
  const Nanos until = kernel().now() + kStopsWithin;
  const auto is_empty = [this] {
    const std::string sessions = ask("list");
    return std::count(sessions.begin(), sessions.end(), '\n') == 2;  // "ok", and the names of the columns
  };
  while (!is_empty())
    if (sleep(kSecond); kernel().now() > until) return wrong("sessions go on without their players"), false;
  // Processes from before an upgrade end by themselves.
  kernel().wait([this] { return running().size() <= 1; }, kernel().now() + kStopsWithin);
  const auto left = running();
  if (left.size() > 1) return wrong(std::to_string(left.size()) + " processes run without players"), false;
  stops_ = true;
  for (const std::size_t process : left) {
    stop(process);
    if (!await_end(process)) return wrong("the program does not stop"), false;
  }
  if (!server_.stop(kStopsWithin)) return wrong("the server does not stop"), false;
  return true;
}

/// The second SIGTERM ends a process at once.
void Operated::stop(std::size_t process) {
  Known& its = processes_[process];
  its.killed = its.killed || its.stops;
  its.stops = true;
  kernel().processes().signal(process, SIGTERM);
}

void Operated::kill(std::size_t process) {
  processes_[process].killed = true;
  kernel().processes().signal(process, SIGKILL);
}

bool Operated::await_end(std::size_t process) {
  return kernel().wait([process] { return kernel().is_over(process); }, kernel().now() + kStopsWithin);
}

// -- What must hold ---------------------------------------------------------------------------------------------------

/// In a simulation without faults, neither a reload nor an upgrade costs anybody anything.
void Operated::check_nobody_was_sent_away() {
  for (const auto& one : crowd_.people())
    if (one->gone_at != 0 && !sent_away_.contains(one->name))
      wrong(one->name + " was sent away" + (one->in_at == 0 ? " before it was in" : "") +
            (one->refused.empty() ? "" : ": " + one->refused));
}

void Operated::check_processes() {
  for (const auto& [process, its] : processes_) {
    const std::string name = "process " + std::to_string(Processes::pid_of(process));
    const auto code = kernel().processes().ended(process);
    sessions_ += its.opened;
    if (its.killed || !its.served) continue;
    if (const auto files = kernel().processes().files_left(process); files != 0)
      wrong(name + " leaves " + std::to_string(files) + " descriptors");
    if (const auto bytes = kernel().processes().heap_left(process); bytes > kLeftAtEnd)
      wrong(name + " leaves " + std::to_string(bytes) + " bytes");
    if (code != 0) wrong(name + " ended with " + std::to_string(code.value_or(-1)));
    if (kernel().processes().threads_left(process) != 0)
      wrong(name + " leaves " + std::to_string(kernel().processes().threads_left(process)) + " threads");
    // Sessions whose servers do not answer end without having opened.
    if (its.opened > its.closed || its.closed != its.counted_sessions || its.refused != its.counted_refused)
      wrong(name + " counted " + std::to_string(its.counted_sessions) + " sessions and " +
            std::to_string(its.counted_refused) + " refusals, and told that " + std::to_string(its.opened) +
            " sessions opened and " + std::to_string(its.closed) + " closed, and of " + std::to_string(its.refused) +
            " refusals");
  }
  const bool killed =
      std::any_of(processes_.begin(), processes_.end(), [](const auto& one) { return one.second.killed; });
  const bool whole = !killed && !kernel().disk().harmed();
  for (const std::string& file : kernel().disk().names()) {
    const bool left = (file.starts_with(kSocket) && !killed) || (file.ends_with(".part") && whole);
    if (left) wrong(file + " is left");
    if (!file.ends_with(".mcap")) continue;
    const auto opened = trace::Recording::open(file);
    if (!opened && whole) wrong(file + ": " + opened.error().text);
  }
}

void simulate_program(Plan& plan, Verdict& verdict) {
  Faults faults;
  if (!plan.calm) {
    faults.switch_thread = plan.often("switches", 0.5);
    faults.short_read = plan.often("short reads", 0.9);
    faults.short_write = plan.often("short writes", 0.9);
    if (plan.has("delay", 0.8)) faults.delay = plan.draw("delay").time(0, 99);
  }
  Kernel simulated(plan.seed(), faults);
  Operated operated(plan, verdict);
  const std::size_t left = simulated.run([&] { operated.live(); });
  if (left != 0) verdict.wrong.push_back(std::to_string(left) + " threads are left");
  if (simulated.open_files() != 0)
    verdict.wrong.push_back(std::to_string(simulated.open_files()) + " descriptors are left");
  for (std::size_t i = 0; i < simulated.programs(); ++i)
    plan.tell("program " + std::to_string(i) + ": " + std::to_string(simulated.calls(i)) + " calls");
  plan.tell(std::to_string(simulated.calls()) + " calls, " + std::to_string(simulated.switches()) + " switches");
  verdict.leaks = true;  // what a process has in its global variables is not found
  verdict.sessions = operated.sessions();
  verdict.took = simulated.age();
  verdict.hash = simulated.hash();
}

}  // namespace entente::lab
