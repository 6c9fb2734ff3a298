#include "tests/lab/operated.h"

#include <algorithm>
#include <cmath>

#include "proxy/trace/recording.h"
#include "tests/lab/kernel/disk.h"

namespace entente::lab {
namespace {

/// Whether clients of this game can go into another world.
bool may_meanwhile(const Speech& its) {
  return its.game->name() == "aos" || its.game->name() == "ogar" || its.game->name() == "native";
}

bool has_list(const Speech& its) { return its.game->name() == "bzflag" || its == speech("aos", "0.75"); }

constexpr Nanos kListedWithin = 60 * kSecond;
constexpr std::uint16_t kAudiencePort = 5600, kDocumentsPort = 5700, kNobodysPort = 7999;
constexpr Place kLobby{kProxyHost, 5800}, kSpare{kProxyHost, 5900};
constexpr const char* kRules = "rules.lua";
constexpr const char* kModes[] = {"free_for_all", "free_for_all", "teams", "flags"};

/// Rules that hear and order much. `trouble`: what they do each second; the program must switch them off.
std::string rules_text(const std::string& edition, const std::string& trouble) {
  return "-- " + edition + R"(
state.seen = state.seen or 0
function on_join(player)
  state.seen = state.seen + 1
  tell(player.id, "Welcome, " .. player.name .. ", you are number " .. state.seen)
end
function on_leave(player) tell_all(player.name .. " has left") end
function on_chat(player, text) return text .. "!" end
function on_intent.fire(word, player)
  local unit = unit_of(player)
  if unit and #near(unit.x, unit.y, 3) > 3 then return false end
end
function on_fact.died(word) state.dead = word.player end
command("seen", "says how many players have come", function(player) tell(player, state.seen) end)
function on_tick() )" +
         trouble + " end\n";
}

constexpr const char* kTroubles[] = {"",
                                     "",
                                     "",
                                     "error('oh no')",
                                     "while true do end",
                                     "local t = {} for i = 1, 1e6 do t[i] = ('x'):rep(100) .. i end",
                                     "for _, one in ipairs(players()) do tell(one.id, 'tick') end"};

}  // namespace

Operated::Operated(Plan& plan, Verdict& verdict, bool harsh)
    : Games(plan, verdict, 3, kLobby),
      harsh_(harsh),
      records_(plan.has("recording", 0.5)),
      service_(
          plan, verdict,
          {"", kProxyHost, "/lab/entente.toml", kSocket, [this](std::size_t, std::string_view line) { hear(line); },
           plan.has("log file", 0.4) ? "/lab/entente.log" : "",
           [this](const std::string& line) { return run_line(line); },
           [this](const auto& descriptors) { return tool_.run(descriptors); }}),
      receiver_(plan, verdict),
      has_tool_(plan.has("hook with a command", 0.4)),
      tool_(plan, verdict),
      monitor_(plan, verdict, kProxyHost, [this] { return service_.alone(); }),
      has_rules_(plan.has("rules", 0.4)) {
  for (std::size_t i = 0, ways = ways_.size(); i < ways; ++i) add_audience(i);
}

/// Those who watch what happens on this way, or in the arena.
void Operated::add_audience(std::size_t number) {
  const Way& way = ways_[number];
  const std::string name = "audience of " + way.name;
  const auto watches_arena = [](const Way& one) { return one.watched && one.into_arena; };
  if (way.into_arena && std::any_of(ways_.begin(), ways_.end(), watches_arena)) return;
  if (!plan_.has(name, 0.3)) return;
  Draw draw = plan_.draw(name);
  Way audience{name, any_game(draw), way.server, way.into_arena, draw.number(1, 2)};
  audience.listen = {kProxyHost, static_cast<std::uint16_t>(kAudiencePort + number)};
  audience.watched = number;
  audience.behind = draw.number(1, (kMostBehind - kLater) / kSecond) * kSecond;
  const auto port = static_cast<std::uint16_t>(kDocumentsPort + number);
  monitor_.read(port, [this, port, behind = audience.behind](std::string_view player) {
    if (crowd_.is_early(player, behind))
      wrong("the document of port " + std::to_string(port) + " has " + std::string(player) + " too early");
  });
  ways_.push_back(std::move(audience));
}

void Operated::hear(std::string_view line) {
  const auto has = [line](std::string_view what) { return line.find(what) != std::string_view::npos; };
  for (const char* const loss : {"gave up ", " not sent when the program stopped", " events wait, so "})
    lost_events_ = lost_events_ || has(loss);
  // No reload here changes the servers of a route, or whether it is watched.
  if (!harsh_ && !upgrades_ && !over_ && has(" closed: drained (\"broadcast")) wrong(std::string(line));
}

std::string Operated::audience_of(std::size_t number, const Edition& edition) const {
  for (const Way& way : ways_)
    if (way.watched == number)
      return "watch = [{ listen = [" + quoted(url(way.clients, way.listen)) +
             ", \"native+ws://10.0.1.1:" + std::to_string(kDocumentsPort + number) +
             "?dialect=json\"], delay_s = " + std::to_string((way.behind + (edition.later ? kLater : 0)) / kSecond) +
             " }]\n";
  return "";
}

// -- The program ------------------------------------------------------------------------------------------------------

std::string Operated::configuration(const Edition& edition) const {
  std::string text = "workers = " + std::to_string(plan_.draw("workers").number(1, 3)) + "\n";
  text += "[log]\nlevel = " + quoted(edition.level) + "\nfile = " + quoted(service_.its().log) +
          "\n[control]\nsocket = " + quoted(kSocket) + "\n";
  text += "[metrics]\nlisten = " + quoted(address({kProxyHost, Monitor::kMetricsPort}).text()) +
          "\n[operator]\nlisten = " + quoted(address({kProxyHost, Monitor::kPagePort}).text()) +
          "\ntoken_file = " + quoted(kToken) + "\n";
  text += "[access]\nban_file = \"/lab/bans\"\n";
  text += "[texts]\nserver_down = " + quoted(edition.text) + "\n";
  if (records_)
    text += "[recording]\ndirectory = \"/lab\"\nchunk_bytes = 65536\nrotate_s = " +
            std::to_string(plan_.draw("rotation").number(0, 60)) + "\n";
  const std::string record = records_ ? "record = \"{game}-{route}-{time}.mcap\"\n" : "";
  const auto list = [&edition](const std::string& of) {
    return "[[list]]\nof = " + quoted(of) + "\ntitle = " + quoted(edition.title) +
           "\nhost = \"10.0.1.1\"\nbzflag = " + quoted(Receiver::list_url()) + "\naos = " + quoted(Receiver::master()) +
           "\n";
  };
  const std::string rules = has_rules_ ? "rules = [" + quoted(kRules) + "]\n" : "";
  std::string arena, lists, arena_audience;
  bool announces_arena = false;
  for (std::size_t i = 0; i < ways_.size(); ++i) {
    const Way& way = ways_[i];
    if (way.watched) continue;
    const std::string listen = quoted(url(way.clients, way.bound()) +
                                      (way.clients.tls ? std::string("&cert=") + kCertificate + "&key=" + kKey : ""));
    if (has_list(way.clients) && !(way.into_arena && announces_arena)) {
      lists += list(way.into_arena ? "lobby" : "way" + std::to_string(way.listen.second));
      announces_arena = announces_arena || way.into_arena;
    }
    if (way.into_arena) {
      arena += ", " + listen;
      arena_audience += audience_of(i, edition);
      continue;
    }
    text += "[[route]]\nname = \"way" + std::to_string(way.listen.second) + "\"\nlisten = " + listen + "\n" +
            servers_of(way) + record + rules + audience_of(i, edition) +
            "check_s = " + std::to_string(edition.check / kSecond) + "\n";
    if (way.clients == way.server) text += relay_options(way, edition);
    if (way.hold != 0 && edition.holds) text += "hold_s = " + std::to_string(way.hold / kSecond) + "\n";
    if (way.hold != 0 && edition.holds && plan_.draw("start by " + way.name).chance(0.3))
      text += "start = \"start the server\"\n";
    if (way.hold != 0 && edition.holds && way.plays_meanwhile && way.clients != way.server &&
        may_meanwhile(way.clients))
      text += "while_down = \"arena lobby\"\n";
  }
  if (edition.has_spare_route)
    text += "[[route]]\nlisten = " + quoted(url(speech("bzflag", "2.4"), kSpare)) +
            "\nto = " + quoted(url(speech("bzflag", "2.4"), server_for(speech("bzflag", "2.4")))) + "\n";
  // Its own bots never rest.
  const std::uint64_t bots = compares_ ? 0 : plan_.draw("bots").number(0, 2);
  text += "[[arena]]\nname = \"lobby\"\nseats = 32\nside = 80\nlisten = [" +
          quoted(url(speech("native", "json"), kLobby)) + arena + "]\n" + rules + arena_audience +
          "bots = " + std::to_string(bots) + "\nmode = " + quoted(plan_.draw("mode of the arena").one_of(kModes)) +
          "\n";
  text += "[[hook]]\nname = \"duty\"\nurl = " + quoted(Receiver::hook_url()) +
          "\nevents = [\"join\", \"leave\", \"empty\", \"refused\", \"server_down\", \"server_up\", "
          "\"recording_finished\", "
          "\"upgrade_failed\"]\naddresses = " +
          (edition.addresses ? "true" : "false") + "\n";
  if (has_tool_)
    text += "[[hook]]\nname = \"tool\"\ncommand = [" + quoted(Processes::kTool) +
            ", \"--all\"]\nevents = [\"join\", \"leave\"]\ntimeout_s = 5\n";
  return text + lists;
}

/// Some ways have a second server, which is never there.
std::string Operated::servers_of(const Way& way) const {
  const auto server = [&](const Place& at) {
    return quoted(url(way.server, at) + (way.server.tls ? std::string("&ca=") + kAuthority : ""));
  };
  const std::string real = server(way.to), dead = server({way.to.first, kNobodysPort});
  Draw draw = plan_.draw("servers of " + way.name);
  if (draw.chance(0.7)) return "to = " + real + "\n";
  const std::string both = draw.chance(0.5) ? dead + ", " + real : real + ", " + dead;
  constexpr const char* kPolicies[] = {"first", "least", "hash"};
  return "to = [" + both + "]\npolicy = " + quoted(draw.one_of(kPolicies)) + "\n";
}

/// What only relays have.
std::string Operated::relay_options(const Way& way, const Edition& edition) const {
  Draw draw = plan_.draw("options of " + way.name);
  std::string text = edition.lab.empty() || draw.chance(0.5) ? "" : "lab = " + quoted(edition.lab) + "\n";
  if (has_rules_) text += "announce = true\nrewrite = " + std::string(draw.chance(0.5) ? "true" : "false") + "\n";
  return text;
}

/// `act`: the reload that reads them.
void Operated::put_rules(const std::string& act) const {
  Draw draw = plan_.draw("rules of " + act);
  const std::string trouble = act.empty() ? "" : draw.one_of(kTroubles);
  kernel().disk().put(std::string("/lab/") + kRules, as_bytes(rules_text(act, trouble)));
}

/// The command that starts the server. It may fail, and it may take a while.
int Operated::run_line(const std::string& line) {
  Draw draw = plan_.draw("line " + std::to_string(++lines_));
  plan_.tell("the shell runs `" + line + "`");
  sleep(draw.time(0, 5'000));
  return over_ || (harsh_ && draw.chance(0.3)) || !start_server() ? 1 : 0;
}

bool Operated::start_server() {
  kernel().wait([this] { return !starting_; });
  starting_ = true;
  const bool starts = server_.runs() || server_.start();
  starting_ = false;
  return starts;
}

// -- A life -----------------------------------------------------------------------------------------------------------

void Operated::live() {
  if (harsh_) kernel().disk().faults.fail = plan_.often("errors of the disk", 0.02, 0.2);
  Service::prepare({&service_});
  put_rules("");
  put_certificate(serial_);
  kernel().disk().put("/lab/other.pem", as_bytes(std::string("key 0\n")));
  kernel().disk().put(kToken, as_bytes(std::string(Monitor::kToken) + "\n"));
  receiver_.start();
  service_.configure(configuration(edition_));
  if (has_maps()) service_.expect_maps();
  service_.start();
  if (!server_.start()) return;
  kernel().wait([this] { return service_.served(); }, kernel().now() + kInWithin);
  if (!players_.start()) return;
  // Through small windows, an answer takes longer than the program waits for its reader.
  monitor_.start(!harsh_ && kernel().faults.window >= (64U << 10U));
  std::thread serving([this] { service_.serve(); });
  std::thread keeping([this] { keep_players(); });
  if (!harsh_) sleep(10 * kSecond);  // everybody comes
  std::vector<std::thread> acting;
  for (const Act& act : acts()) acting.emplace_back([this, act] { carry_out(act); });
  sleep(plan_.draw("length").time(5'000, 90'000));
  for (std::thread& one : acting) one.join();

  plan_.tell("all is calm");
  kernel().faults = Faults();
  kernel().disk().faults = {};
  receiver_.calm();
  tool_.calm();
  await_all(harsh_);
  monitor_.demand();
  check_bans();
  await_listed();
  if (!harsh_) check_nobody_was_sent_away();
  over_ = true;
  keeping.join();
  check_delays();
  if (compares_) compare();
  const std::string routes = ask("routes");
  if (!routes.starts_with("ok")) wrong("`routes` is answered: " + routes);
  monitor_.stop();
  const bool closed = close();
  service_.end();
  serving.join();
  receiver_.stop();
  if (closed) check_counted(), check_outside(first_fields(routes));
  if (closed) check_files();
}

/// The players leave, and then the program is stopped; or the program is stopped while they play. False: something does
/// not end.
bool Operated::close() {
  if (proxy_first_) {
    if (const bool has_players = true; !service_.close(has_players)) return false;
    await_players_told();
    await_server_told(1);
  }
  plan_.tell("stopping the players");
  if (!players_.stop(kStopsWithin)) return wrong("the players do not stop"), false;
  if (!proxy_first_ && !(await_no_sessions() && service_.close())) return false;
  await_server_told(0);
  if (!server_.stop(kStopsWithin)) return wrong("the server does not stop"), false;
  return true;
}

bool Operated::await_no_sessions() {
  const Nanos until = kernel().now() + kStopsWithin;
  if (!service_.await_empty(until)) return false;
  // Sessions that have ended may take a moment to go. The spectators of broadcasts stay.
  const auto stay =
      std::count_if(ways_.begin(), ways_.end(), [](const Way& one) { return one.watched && !one.into_arena; });
  while (monitor_.sum_of("entente_sessions").value_or(HUGE_VAL) > static_cast<double>(stay))
    if (sleep(kSecond); kernel().now() > until) return wrong("sessions go on, as the metrics say"), false;
  note_opened();
  return true;
}

/// Nobody plays any more, so nobody is held. The servers are up.
void Operated::note_opened() {
  const auto process = service_.alone();
  const auto opened = monitor_.sum_of("entente_sessions_opened_total");
  const auto held = monitor_.sum_of("entente_sessions_held");
  const auto holds = monitor_.values_of("entente_sessions_held_total"),
             ends = monitor_.values_of("entente_sessions_brought_back_total");
  if (!process || process != service_.alone() || !opened || !held || !holds || !ends) return;
  opened_ = {*process, *opened};
  if (*held != 0) wrong(std::to_string(*held) + " players are held, and none is there");
  // Both are in the order of the routes.
  for (std::size_t i = 0; i < std::min(holds->size(), ends->size()); ++i)
    if ((*ends)[i] > (*holds)[i]) wrong("more players were brought back than held");
}

/// A ban that was answered outlives the process and the machine, and a ban that was lifted does not come back.
void Operated::check_bans() {
  const auto before = bans_.settled();
  const std::string answer = ask("bans");
  if (!answer.starts_with("ok") || (kernel().disk().torn() && kernel().disk().harmed())) return;
  for (const std::string& what : bans_.check(answer, before)) wrong(what);
}

/// What the metrics counted at the end is what the summary counts.
void Operated::check_counted() {
  if (!opened_ || service_.killed_any() || service_.lost_lines()) return;
  if (const auto counted = service_.counted_sessions(opened_->first); static_cast<double>(counted) != opened_->second)
    wrong("the metrics counted " + std::to_string(opened_->second) + " sessions, and the summary " +
          std::to_string(counted));
}

// -- What must hold ---------------------------------------------------------------------------------------------------

void Operated::compare() {
  rest();
  check_sights();
  if (service_.alone()) check_sights_in_lobby();
}

/// A list that has failed is tried again after up to 15 minutes.
void Operated::await_listed() {
  if (harsh_ || receiver_.has_failed()) return;
  for (const Way& way : ways_)
    if (const std::string place = address({kProxyHost, way.listen.second}).text();
        !way.watched && has_list(way.clients) &&
        !kernel().wait([&] { return receiver_.lists(place); }, kernel().now() + kListedWithin))
      wrong(way.name + " is not in the public list");
}

/// `routes`: their names, but for the spare one.
void Operated::check_outside(std::set<std::string> routes) {
  const bool whole = !service_.killed_any() && !service_.lost_lines() && !lost_events_;
  const auto joined = [this](const auto& one) {
    return one->in_at != 0 && one->group < ways_.size() && !ways_[one->group].watched && ways_[one->group].into_arena;
  };
  const auto joins = static_cast<std::size_t>(std::count_if(crowd_.people().begin(), crowd_.people().end(), joined));
  receiver_.check(whole, !harsh_, joins);
  if (!service_.lost_lines() && !lost_events_) {
    routes.insert("bzflag " + address(kSpare).text());
    receiver_.check_servers(routes);
  }
  if (has_tool_) tool_.check(whole, !harsh_, joins);
}

/// Clients are shown the newest certificate.
void Operated::check_certificates() {
  const auto all = monitor_.values_of("entente_certificate_expires_seconds", "key=\"listen\"");
  for (const double end : all.value_or(std::vector<double>()))
    if (end != static_cast<double>(expiry(serial_)))
      wrong("after a reload, a certificate expires at " + std::to_string(end) + ", and the newest one at " +
            std::to_string(expiry(serial_)));
}

void Operated::check_files() {
  service_.check();
  const bool whole = !service_.killed_any() && !kernel().disk().harmed();
  for (const std::string& file : kernel().disk().names()) {
    if (file.ends_with(".part") && whole) wrong(file + " is left");
    if (!file.ends_with(".mcap")) continue;
    const auto opened = trace::Recording::open(file);
    if (!opened && whole) wrong(file + ": " + opened.error().text);
  }
}

void simulate_program(Plan& plan, Verdict& verdict) { simulate_services<Operated>(plan, verdict); }

}  // namespace entente::lab
