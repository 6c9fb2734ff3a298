#include "proxy/relay/route/route.h"

#include <algorithm>
#include <ctime>
#include <utility>

#include "proxy/base/text.h"
#include "proxy/core/texts.h"
#include "proxy/relay/admission/ban_time.h"
#include "proxy/relay/tap/room_words.h"

namespace entente::relay {
namespace {

constexpr std::uint32_t kRuleBan = 30;  // seconds: others may share the address

std::string sentence_of(const Route& route, Drop drop, std::uint64_t times) {
  const std::string advice = what_helps(drop);
  return "dropped " + std::to_string(times) + (times == 1 ? " datagram" : " datagrams") + " at " +
         route.listen_address.text() + " (" + std::string(route.game.name()) + " " + std::string(route.dialect_name()) +
         "): " + text(drop) + (advice.empty() ? "" : "; ") + advice;
}

/// Whether lines of this kind name the route, because each route of a server has its own.
bool is_of_one_route(LogKind kind) {
  switch (kind) {
    case LogKind::kUnreached:
    case LogKind::kUp:
    case LogKind::kServer:
    case LogKind::kWaitsForServer:
    case LogKind::kBackOnServer:
    case LogKind::kCommand:
    case LogKind::kCommandEnd:
      return true;
    default:
      return false;
  }
}

std::string with_route(LogKind kind, std::string sentence, const Route& route) {
  if (is_of_one_route(kind)) sentence += " (route " + route.named() + ")";
  return sentence;
}

/// "too long in name"
std::string detail_of(const Fault& fault) {
  return std::string(fault.what) + (*fault.field != '\0' ? std::string(" in ") + fault.field : "");
}

}  // namespace

News news_of(NewsKind kind, const Route& route, const LinkInfo& session, const std::string& player) {
  News news(kind);
  news.set(NewsField::kRoute, route.named()).set(NewsField::kArena, route.arena());
  news.set(NewsField::kGame,
           std::string(session.game->name()) + " " + std::string(session.game->dialects()[session.dialect].name));
  news.set(NewsField::kSession, session.link);
  if (session.client.port() != 0) news.set(NewsField::kAddress, session.client.text());
  if (news.has(NewsField::kPlayer)) news.set(NewsField::kPlayer, clean(player));
  return news;
}

std::string Route::named() const {
  if (!options->name.empty()) return options->name;
  return std::string(game.name()) + " " + std::string(dialect_name()) +
         (listen_address.port() != 0 ? " " + listen_address.text() : "");
}

/// What says that the player may come again stays at the end: clients and other proxies tell by it that this is no ban.
std::string Route::words_for(Reason reason, const Fault& fault) const {
  const bool down = reason == Reason::kServerUnreachable || reason == Reason::kServerTimeout;
  if ((!down && reason != Reason::kDraining) || texts == nullptr) return words_for_player(reason, fault);
  const std::string own = texts->text(down ? &Texts::server_down : &Texts::draining, "");
  if (own.empty()) return words_for_player(reason, fault);
  return core::is_for_now(own) ? own : own + std::string(core::kTryAgain);
}

void Route::add_to(Totals& sum) const {
  for (const WorkerRoute* one : parts) sum.add(one->counters);
}

WorkerRoute::WorkerRoute(Route& its_route, net::Loop& its_loop, TapSink* its_tap)
    : route(its_route),
      loop(its_loop),
      tap(its_tap),
      rules(its_route.options),
      lab{its_route.options->lab, steady_now()},
      datagrams_(its_route.listener->datagrams) {
  if (route.options->strict) strict_filter.emplace(route.game);
  if (datagrams_) to_clients.emplace(loop, datagrams_->get(), route.listen_address.wildcard());
}

void WorkerRoute::let_go() {
  count_lost();
  to_clients.reset();
  datagrams_.reset();
}

std::unique_ptr<SessionLab> WorkerRoute::make_lab(LabLine::User& user, LabLine::Of of, const LinkInfo& session,
                                                  std::size_t most_waiting) {
  return std::make_unique<SessionLab>(loop, user, of, session, route.lab_sessions.fetch_add(1) + 1, counters.lab,
                                      most_waiting);
}

void WorkerRoute::log_limited(LogKind kind, std::string_view what, LogLimiter::Say tell, std::uint64_t times) {
  if (!route.log_limiter.say(kind, what, loop.now(), std::move(tell), times)) counters.held_back_lines.add();
}

void WorkerRoute::log_warning(LogKind kind, std::string sentence, About about) {
  about.route = route.named();
  log_limited(kind, "",
              [&events = route.events, line = with_route(kind, std::move(sentence), route),
               about = std::move(about)](std::uint64_t more) { events.warned(line, about, more); });
}

void WorkerRoute::log_info(LogKind kind, std::string sentence, About about) {
  about.route = route.named();
  log_limited(kind, "",
              [&events = route.events, line = with_route(kind, std::move(sentence), route),
               about = std::move(about)](std::uint64_t more) { events.informed(line, about, more); });
}

void WorkerRoute::opened(const LinkInfo& session) {
  log_limited(LogKind::kOpened, "",
              [&its = route, session](std::uint64_t more) { its.events.opened(its.named(), session, more); });
}

void WorkerRoute::joined(const LinkInfo& session, const std::string& player) {
  if (route.events.wants(NewsKind::kJoin)) route.events.news(news_of(NewsKind::kJoin, route, session, player));
}

void WorkerRoute::left(const LinkInfo& session, const SessionOutcome& end) {
  if (!route.events.wants(NewsKind::kLeave)) return;
  route.events.news(news_of(NewsKind::kLeave, route, session, end.player)
                        .set(NewsField::kReason, text(end.reason))
                        .set(NewsField::kSeconds, end.length / 1'000));
}

void WorkerRoute::ended(const LinkInfo& session, const SessionOutcome& end, const Fault& fault, std::uint64_t at) {
  is_refusal(end.reason) ? refused(session, end.reason, fault, at) : closed(session, end);
}

void WorkerRoute::closed(const LinkInfo& session, const SessionOutcome& end) {
  counters.ended[static_cast<std::size_t>(end.reason)].add();
  log_limited(kind_of(end.reason), "",
              [&its = route, session, end](std::uint64_t more) { its.events.closed(its.named(), session, end, more); });
}

void WorkerRoute::refused(const LinkInfo& session, Reason reason, const Fault& fault, std::uint64_t at) {
  counters.ended[static_cast<std::size_t>(reason)].add();
  if (route.events.wants(NewsKind::kRefused))
    route.events.news(news_of(NewsKind::kRefused, route, session, "")
                          .set(NewsField::kReason, text(reason))
                          .set(NewsField::kDetail, detail_of(fault)));
  log_limited(kind_of(reason), fault.what, [&its = route, session, reason, fault, at](std::uint64_t more) {
    its.events.refused(its.named(), session, reason, fault, at, more);
  });
}

void WorkerRoute::words_dropped(const LinkInfo& session, const core::Ledger& ledger) {
  if (ledger.entries().empty()) return;
  route.losses.add(ledger);
  log_limited(LogKind::kWordsDropped, "", [&its = route, session, words = text(ledger)](std::uint64_t more) {
    its.events.words_dropped(its.named(), session, words, more);
  });
}

void WorkerRoute::log_wrong_dialect(const std::string& server, std::size_t found) {
  const std::string theirs(route.game.dialects()[found].name), ours(route.dialect_name());
  log_warning(LogKind::kDialect,
              "server " + server + " speaks " + std::string(route.game.name()) + " " + theirs + ", but the listener " +
                  route.listen_address.text() + " takes clients of " + ours +
                  ": they are turned away; add ?dialect=" + theirs + " to --listen",
              {.server = server});
}

void WorkerRoute::log_wrong_client(std::size_t dialect) {
  const std::string theirs(route.game.dialects()[dialect].name);
  log_warning(LogKind::kDialect, "a client of " + std::string(route.game.name()) + " " + theirs +
                                     " connected to the listener for " + std::string(route.dialect_name()) +
                                     "; add a listener for it, with ?dialect=");
}

void WorkerRoute::server_banned(const std::string& server, const net::Address& client, std::string_view why) {
  if (route.options->bans == nullptr || server.empty() || route.options->source != SourceMode::kOwn ||
      route.options->send_proxy)
    return;
  const auto ban = route.options->bans->learn(client, why, steady_seconds(), server, time_of_ban(why));
  const auto lasts = ban ? std::max<std::time_t>(ban->until - std::time(nullptr), 1) : 0;
  banned("server " + server, ban, client,
         "is not sent to that server for " + std::to_string(lasts) + " s, so that the server does not ban our address");
}

void WorkerRoute::front_banned(const net::Address& client, std::string_view why) {
  if (route.options->bans == nullptr) return;
  const std::string listener = ban_scope().listener;
  banned("a rule of the game", route.options->bans->learn(client, why, steady_seconds(), listener, kRuleBan), client,
         "is refused at " + listener + " for " + std::to_string(kRuleBan) + " s");
}

void WorkerRoute::banned(const std::string& who, const std::optional<Ban>& ban, const net::Address& client,
                         std::string_view then) {
  if (!ban) return;
  counters.server_bans.add();
  log_warning(LogKind::kServerBanned,
              who + " banned the player from " + client.ip_text() +
                  (ban->why.empty() ? "" : " (" + clean(ban->why) + ")") + ": " + ban->who.text() + " " +
                  std::string(then) + "; `entente ctl unban` removes the ban",
              {.address = client.ip_text()});
}

std::string WorkerRoute::why_banned(const net::Address& client) const {
  const auto ban =
      route.options->bans != nullptr ? route.options->bans->find(client, steady_seconds(), ban_scope()) : std::nullopt;
  if (!ban) return "nobody may come from your address";
  if (!ban->why.empty()) return clean(ban->why);
  return ban->by_server ? "the server banned you a while ago" : "you are banned";
}

wire::Status WorkerRoute::status(std::uint32_t sessions, std::uint32_t most_sessions) {
  wire::Status status;
  status.name = route.server_name;
  status.dialect = route.dialect_name();
  status.port = route.listen_address.port();
  if (!route.listen_address.v6())
    status.ip4 = ntohl(reinterpret_cast<const sockaddr_in*>(route.listen_address.raw())->sin_addr.s_addr);
  told_status_ = route.attendance != nullptr ? route.attendance->summary() : known_game(sessions);
  status.map = told_status_.map.empty() ? status.name : told_status_.map;
  status.mode = told_status_.mode;
  status.players = told_status_.players;
  const std::uint32_t seats = told_status_.most_players;
  // The limit is of this listener's sessions. Others may play, too.
  const std::uint32_t most =
      most_sessions == 0 ? 0 : std::max(1U, status.players + most_sessions - std::min(sessions, most_sessions));
  status.most_players = seats == 0 || most == 0 ? seats + most : std::min(seats, most);
  return status;
}

/// What is known of the server's game. `sessions`: so many play if no player is known.
Attendance::Summary WorkerRoute::known_game(std::uint32_t sessions) {
  Attendance::Summary game{std::string(route.server_game().name()), "bridge", sessions, 0};
  const auto world = route.options->bridge ? route.known_world.get(loop.now()) : nullptr;
  if (world == nullptr) return game;
  const auto& players = world->players();
  const auto known = std::count_if(players.begin(), players.end(), [](const auto& one) {
    return !one.second.player.name().empty() && one.second.player.role() != words::WATCH;
  });
  if (known != 0) game.players = static_cast<std::uint32_t>(known);
  if (!world->room().mode().empty()) game.mode = world->room().mode();
  game.most_players = world->room().most_players();
  return game;
}

void WorkerRoute::tap_opened(LinkInfo session, WallTime at) {
  if (tap == nullptr) return;
  session.route = route.index;
  tap->opened(session, at);
}

void WorkerRoute::tick() {
  count_lost();
  for (std::size_t i = 0; i < kDrops; ++i) log_dropped(static_cast<Drop>(i));
  route.log_limiter.say_kept(loop.now());
}

void WorkerRoute::finish() {
  tick();
  route.log_limiter.say_rest();
}

void WorkerRoute::count_lost() {
  if (!to_clients) return;
  counters.dropped[static_cast<std::size_t>(Drop::kQueueFull)].add(to_clients->lost() - lost_counted_);
  lost_counted_ = to_clients->lost();
}

/// Logs how many datagrams were dropped since the last call. Dropping itself, the hot path of a flood, only counts.
void WorkerRoute::log_dropped(Drop drop) {
  const std::uint64_t all = counters.dropped[static_cast<std::size_t>(drop)].read();
  const std::uint64_t news = all - std::exchange(dropped_told_[static_cast<std::size_t>(drop)], all);
  if (news == 0) return;
  const auto tell = [&its = route, drop](std::uint64_t more) {
    its.events.warned(sentence_of(its, drop, more + 1), {.route = its.named()}, 0);
  };
  log_limited(LogKind::kDropped, text(drop), tell, news);
}

}  // namespace entente::relay
