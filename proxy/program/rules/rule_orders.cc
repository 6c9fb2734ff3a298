#include "proxy/program/rules/rule_orders.h"

#include <algorithm>
#include <utility>

#include "proxy/base/time.h"
#include "proxy/program/log/say.h"

namespace entente {
namespace {

constexpr std::size_t kMostOrders = 1'000;
constexpr Millis kDropsEvery = 10'000;  // how often dropped orders are logged
constexpr Millis kMovesEvery = 200;     // how often the results of moves are looked at

std::string with_numbers(const rules::Action& action) {
  std::string text = action.text;
  for (const auto& [name, number] : action.numbers) text += fmt::format(", {} {:.6g}", name, number);
  return text;
}

/// Whom a line of a rule is about, for LineLimiter. A player without a client here is a bot, or at another node.
std::string line_key(const relay::RuleBook& book, const rules::Action& action, const relay::LinkInfo* client) {
  if (client != nullptr && client->client.port() != 0) return net::Network::of_host(client->client).text();
  if (client != nullptr) return "link " + std::to_string(client->link);
  return book.of() + " " + std::to_string(action.player);
}

}  // namespace

RuleOrders::RuleOrders(relay::ProxyServer& server, relay::Bans& bans, KeptBans& kept, RouteLister routes,
                       Housekeeping& files)
    : server_(server), bans_(bans), kept_(kept), routes_(std::move(routes)), files_(files) {}

std::shared_ptr<relay::RuleBook> RuleOrders::new_book(std::string of) {
  auto book = std::make_shared<relay::RuleBook>(
      std::move(of), [this](const relay::RuleBook& its, const rules::Action& action, const relay::LinkInfo* client) {
        act(its, action, client);
      });
  const std::lock_guard lock(mutex_);
  std::erase_if(books_, [](const auto& one) { return one.expired(); });
  books_.push_back(book);
  return book;
}

void RuleOrders::start() {
  work_.emplace(files_, [this] { return carry_out(); });
}

std::vector<std::shared_ptr<const relay::RuleBook>> RuleOrders::books() const {
  std::vector<std::shared_ptr<const relay::RuleBook>> all;
  const std::lock_guard lock(mutex_);
  for (const auto& one : books_)
    if (auto book = one.lock()) all.push_back(std::move(book));
  return all;
}

// -- On workers -------------------------------------------------------------------------------------------------------

void RuleOrders::act(const relay::RuleBook& book, const rules::Action& action, const relay::LinkInfo* client) {
  using Kind = rules::Action::Kind;
  if (action.kind == Kind::kSwitchedOff) {
    log_error("a rule of {} is switched off: {}; fix it and reload the configuration", book.of(), action.text);
    if (switched_off_) switched_off_(book.of(), action.rule, action.text);
    return;
  }
  if (action.kind == Kind::kLog || action.kind == Kind::kReport || action.kind == Kind::kLost)
    return log_line(book, action, client);
  std::uint64_t drops = 0;
  {
    const std::lock_guard lock(mutex_);
    auto& queue = action.kind == Kind::kTell ? lines_ : orders_;
    if (queue.size() < kMostOrders) {
      const relay::LinkInfo none, &its = client != nullptr ? *client : none;
      queue.push_back({action, its.link, its.client, book.of(), ++numbered_});
    } else {
      ++dropped_;
      ++untold_drops_;
      const Millis now = steady_now();
      if (drops_told_ == 0 || now >= drops_told_ + kDropsEvery) {
        drops_told_ = now;
        drops = std::exchange(untold_drops_, 0);
      }
    }
  }
  if (drops != 0)
    log_warn("orders of rules come too fast and are dropped; the last one is of rule {} of {}{}", action.rule,
             book.of(), and_more(drops - 1));
  if (work_) work_->news();
}

void RuleOrders::log_line(const relay::RuleBook& book, const rules::Action& action, const relay::LinkInfo* client) {
  const bool by_itself = action.kind == rules::Action::Kind::kLog;
  const std::string whom = by_itself ? book.of() : line_key(book, action, client);
  std::uint64_t unlogged = 0;
  {
    const std::lock_guard lock(mutex_);
    const auto earlier =
        line_limiter_.take(whom, by_itself ? LineLimiter::kOfRules : LineLimiter::kOfPlayer, steady_now());
    if (!earlier) return;
    unlogged = *earlier;
  }
  if (action.kind == rules::Action::Kind::kReport)
    log_warn("rule {} of {} reports player {} ('{}'): {}{}", action.rule, book.of(), action.player, action.name,
             with_numbers(action), and_more(unlogged));
  else if (action.kind == rules::Action::Kind::kLost)
    log_warn("the rules of {} do not hear a player any more: {}{}", book.of(), action.text, and_more(unlogged));
  else if (action.rule.empty())
    log_warn("{}: {}{}", book.of(), action.text, and_more(unlogged));
  else
    log_info("rule {} of {}: {}{}", action.rule, book.of(), action.text, and_more(unlogged));
}

// -- On the thread `files` --------------------------------------------------------------------------------------------

/// The one that was given first.
std::optional<RuleOrders::Order> RuleOrders::take_order() {
  const std::lock_guard lock(mutex_);
  if (orders_.empty() && lines_.empty()) return std::nullopt;
  const bool line = orders_.empty() || (!lines_.empty() && lines_.front().number < orders_.front().number);
  auto& queue = line ? lines_ : orders_;
  Order order = std::move(queue.front());
  queue.pop_front();
  return order;
}

Millis RuleOrders::carry_out() {
  while (const auto order = take_order()) carry_out(*order);
  look_at_moves();
  return moving_.empty() ? Housekeeping::kIdle : kMovesEvery;
}

void RuleOrders::carry_out(const Order& order) {
  const rules::Action& action = order.action;
  if (action.kind == rules::Action::Kind::kBan) return ban(order);
  if (action.kind == rules::Action::Kind::kMove) return move(order);
  if (action.kind == rules::Action::Kind::kTell) return (void)server_.announce_to(order.link, action.text);
  if (server_.kick(order.link, action.text))
    log_info("rule {} of {} kicked '{}': {}", action.rule, order.of, action.name, action.text);
}

void RuleOrders::ban(const Order& order) {
  const rules::Action& action = order.action;
  if (order.client.port() == 0) return;  // a bot
  relay::Ban ban;
  ban.who = net::Network::of_host(order.client);
  ban.why = action.text;
  ban.by_rule = true;
  if (action.minutes != 0) ban.until = std::time(nullptr) + std::time_t{action.minutes} * 60;
  bans_.add(ban);
  log_info("rule {} of {} banned {} ('{}') {}: {}", action.rule, order.of, ban.who.text(), action.name,
           action.minutes == 0 ? "for good" : "until " + until_text(ban.until), action.text);
  for (const auto& one : server_.sessions())
    if (one.info.client.port() != 0 && net::Network::of_host(one.info.client) == ban.who)
      server_.ban(one.info.link, action.text);
  if (const auto kept = kept_.save(ban); !kept) log_error("a rule's ban is not kept: {}", kept.error().text);
}

void RuleOrders::move(const Order& order) {
  const rules::Action& action = order.action;
  const auto listed = routes_();
  const auto found = routes_called(listed, action.text);
  if (!found || found->size() != 1)
    return log_warn("rule {} of {} cannot move '{}': {}", action.rule, order.of, action.name,
                    found ? "'" + action.text + "' is more than one route" : found.error().text);
  auto its = server_.begin_move(order.link, found->front()->named.number);
  if (its != nullptr && moving_.size() < kMostOrders) moving_.push_back({order, std::move(its)});
}

/// Logs the moves that have failed. A session answers each, at the latest when it ends.
void RuleOrders::look_at_moves() {
  std::erase_if(moving_, [](const Moving& one) {
    const auto result = one.its->wait(0);
    const rules::Action& action = one.order.action;
    if (result.how == relay::MoveResult::How::kStays)
      log_warn("rule {} of {} cannot move '{}': {}", action.rule, one.order.of, action.name, result.text);
    return result.how != relay::MoveResult::How::kUnderWay;
  });
}

// -- For operators ----------------------------------------------------------------------------------------------------

void RuleOrders::add_commands(Control& control) {
  control.add(
      "rules", "Lists the operator's rules: what they did, and which are switched off.",
      [this](std::string_view rest) { return rest.empty() ? rows() : Reply(Error{"rules takes no arguments"}); });
}

Reply RuleOrders::rows() const {
  std::vector<ReplyRow> rows;
  for (const auto& book : books())
    for (const relay::RuleBook::Row& row : book->rows())
      rows.push_back({text_field("of", book->of()), text_field("rule", row.rule), number_field("orders", row.actions),
                      number_field("reports", row.reports), number_field("off_in_rooms", row.off),
                      text_field("why", row.why)});
  return Reply::table({"of", "rule", "orders", "reports", "off_in_rooms", "why"}, rows);
}

void RuleOrders::measure(Metrics& metrics) const {
  for (const auto& book : books()) {
    metrics.count("rule_sessions_lost", "sessions of relays that went on without rules, which could not follow them",
                  {{"of", book->of()}}, book->lost());
    metrics.count("rule_orders_too_fast",
                  "orders by rules that were refused, because there were too many about a player", {{"of", book->of()}},
                  book->too_fast());
    for (const relay::RuleBook::Row& row : book->rows()) {
      const Metrics::Labels labels{{"of", book->of()}, {"rule", row.rule}};
      metrics.gauge("rule_switched_off_rooms", "Rooms in which a rule was switched off since it was loaded", labels,
                    static_cast<double>(row.off));
      metrics.count("rule_reports", "reports of players by rules since they were loaded", labels, row.reports);
    }
  }
  const std::lock_guard lock(mutex_);
  metrics.count("rule_orders_dropped", "kicks, bans, moves and lines to players of relays by rules that came too fast",
                {}, dropped_);
}

}  // namespace entente
