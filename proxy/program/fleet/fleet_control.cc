#include "proxy/program/fleet/fleet_control.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <future>
#include <set>
#include <thread>
#include <utility>

#include "proxy/base/text.h"
#include "proxy/fleet/decode.h"
#include "proxy/net/named_thread.h"
#include "proxy/program/base/counted.h"
#include "proxy/program/base/screen_text.h"
#include "proxy/program/control/arguments.h"
#include "proxy/program/control/reply.h"
#include "proxy/program/control/roster.h"
#include "proxy/program/log/say.h"
#include "schema/fleet.pb.h"

namespace entente {
namespace {

constexpr std::size_t kLongestBy = 200;
constexpr std::size_t kMostOfAnswers = 64 << 20;  // bytes of the answers to one command
constexpr Millis kMargin = 400;  // a loop may be this late; all waits of one command must fit into the client's 5 s

constexpr Millis kFirstConnection = 250;  // how long a command waits for it after a start or an upgrade

constexpr std::string_view kFleetCommands =
    "nodes, list, find, who, kick, move NAME ROUTE|NODE, ban, unban, bans, allow, deny, unlist, access, say, "
    "drain NODE, undrain NODE, routes, "
    "servers, stats, recordings";

std::string told(const Reply& reply, bool json) { return json ? reply.json() : reply.text(); }

/// "edge-1/7": the link 7 of a node.
struct FarLink {
  std::string node, link;
};
std::optional<FarLink> far_link(const std::string& text) {
  const auto slash = text.find('/');
  if (slash == std::string::npos || fleet::objection_to_token(text.substr(0, slash))) return std::nullopt;
  const std::string link = text.substr(slash + 1);
  if (link.empty() || link.find_first_not_of("0123456789") != std::string::npos) return std::nullopt;
  return FarLink{text.substr(0, slash), link};
}

std::string text_of(const AnswerRow& row) {
  return row.node + "/" + row.link + " (" + control_field(row.client) + ", " +
         (row.player.empty() ? "-" : in_quotes(control_field(row.player))) + ")";
}

std::string text_of(const std::vector<AnswerRow>& rows) {
  constexpr std::size_t kMostRows = 10;
  std::string text;
  for (std::size_t i = 0; i < rows.size() && i < kMostRows; ++i) text += (i == 0 ? "" : ", ") + text_of(rows[i]);
  return text + (rows.size() > kMostRows ? " and " + std::to_string(rows.size() - kMostRows) + " more" : "");
}

/// Why a node has failed, by its answer as text.
std::string error_in(std::string_view said) {
  return screen_text(said.substr(kTextError.size(), said.find('\n') - kTextError.size()));
}

}  // namespace

FleetControl::FleetControl(Fleet& fleet, Control& control, fleet::SlotQueues& queues, FleetBans::User& bans,
                           const FleetBans::Before& before)
    : fleet_(fleet),
      control_(control),
      line_(std::make_unique<fleet::BusLine>(fleet.bus(), loop_, fleet::BusLine::Orders::kPatient)) {
  const fleet::Subjects& names = fleet_.names();
  bans_ = std::make_unique<FleetBans>(*line_, loop_, bans, names, fleet_.node(), fleet_.replicas(), before);
  queue_post_ = std::make_unique<fleet::QueuePost>(*line_, loop_, queues, names, fleet_.node(), fleet_.run_id());
  line_->subscribe(names.order(fleet_.node()), [this](const fleet::BusMessage& message) { hear_order(message); });
  line_->subscribe(names.state(fleet_.node()), [this](const fleet::BusMessage& message) { hear_own_state(message); });
  line_->subscribe(names.operation("who"), [this](const fleet::BusMessage&) { tell_state(); });
  again_ = std::make_unique<net::Alarm>(loop_, static_cast<net::Alarm::User&>(*this));
  ticker_ = std::make_unique<net::Ticker>(loop_, static_cast<net::Ticker::User&>(*this), kState);
  thread_ = net::named_thread("fleet control", [this] { loop_.run(); });
}

FleetControl::~FleetControl() {
  (void)mailbox_.post([this] { end(); });
  thread_.join();
}

void FleetControl::end() {
  bans_.reset();
  queue_post_.reset();
  line_.reset();
  again_.reset();
  ticker_.reset();
  mailbox_.close();
}

void FleetControl::mail() {
  std::vector<Job> jobs;
  mailbox_.take(jobs);
  for (const Job& job : jobs) job();
}

/// A node is not gone because it could not be heard: it may be there when the connection is back.
void FleetControl::note_connection() {
  const auto connects = fleet_.bus().counts().connects;
  if (std::exchange(connects_, connects) == connects && line_->connected()) return;
  hears_from_ = loop_.now();
  gathered_at_ = 0;
}

void FleetControl::tick(Millis now) {
  note_connection();
  std::erase_if(seen_, [this](const auto& one) { return !is_there(one.second); });
  if (namesake_ && namesake_->last + kGone < now) namesake_.reset();
  tell_state();
}

void FleetControl::leave() {
  (void)mailbox_.post([this] { left_ = true; });
}

Outcome<std::vector<bus::SharedBan>> FleetControl::known_bans() {
  const auto known = std::make_shared<std::promise<std::vector<bus::SharedBan>>>();
  auto future = known->get_future();
  (void)mailbox_.post([this, known] { known->set_value(bans_->all()); });
  if (future.wait_for(std::chrono::milliseconds(kMargin)) != std::future_status::ready)
    return Error{"the thread for the fleet does not answer"};
  return future.get();
}

void FleetControl::tell_state() {
  if (left_ || !line_->connected()) return;
  bus::NodeState state;
  state.set_run(fleet_.run_id());
  state.set_version(ENTENTE_VERSION);
  state.set_clock_ms(loop_.now());
  line_->publish(fleet_.names().state(fleet_.node()), as_bytes(state.SerializeAsString()));
}

/// The node's name is taken from the subject, because NATS checks who may publish there.
void FleetControl::hear_state(const fleet::BusMessage& message) {
  const auto node = fleet_.names().node_of_state(message.subject);
  bus::NodeState state;
  if (!node || !fleet::decode(message.bytes, state) || (seen_.size() >= kMostNodes && !seen_.contains(*node)))
    return void(++refused_);
  seen_[*node] = {loop_.now(), state.clock_ms()};
}

/// Reports another process with this node's name, but only after kGone: an upgrade takes less time.
void FleetControl::hear_own_state(const fleet::BusMessage& message) {
  bus::NodeState state;
  if (left_) return;
  if (!fleet::decode(message.bytes, state)) return void(++refused_);
  if (state.run() == fleet_.run_id()) return;
  const Millis now = loop_.now();
  if (!namesake_) namesake_ = Namesake{now, now};
  namesake_->last = now;
  if (namesake_->told || now < namesake_->first + kGone) return;
  namesake_->told = true;
  log_error("fleet: another process is also the node '{}'; set another [fleet] node for one of them", fleet_.node());
}

/// A genuine order names a subject for its answer. A message that an account has JetStream send here does not.
void FleetControl::hear_order(const fleet::BusMessage& message) {
  bus::Order order;
  if (left_) return;
  if (!message.reply.starts_with(fleet_.names().answer(fleet_.node()) + ".") || !fleet::decode(message.bytes, order) ||
      order.line().size() > kLongestOrder || order.line().find_first_of("\r\n") != std::string::npos)
    return void(++refused_);
  const Millis until = order.until_ms() != 0 ? order.until_ms() : loop_.now() + kAnswer;
  const Heard heard{std::move(order), std::string(message.reply), until};
  if (waiting_.empty() && carry_out(heard)) return;
  if (waiting_.size() >= kMostWaiting) return void(++refused_);
  waiting_.push_back(heard);
  rang();
}

void FleetControl::rang() {
  constexpr std::uint64_t kAgain = 20'000'000;  // ns
  while (!waiting_.empty() && carry_out(waiting_.front())) waiting_.erase(waiting_.begin());
  if (!waiting_.empty()) again_->set(loop_.nanos() + kAgain);
}

/// False: another command is still running, and there is time to wait for its end.
bool FleetControl::carry_out(const Heard& heard) {
  const bus::Order& order = heard.order;
  const std::string by = screen_text(whole_characters(order.by(), kLongestBy)) + ", over the fleet";
  std::string_view rest = order.line();
  bus::Answer answer;
  if (loop_.now() > heard.until) {
    ++late_;
    log_warn("fleet: '{}' ({}) came too late and is not carried out", screen_text(order.line()), by);
    answer.set_text(told(Error{"the command came too late, try again"}, order.json()));
  } else if (first_word(rest).starts_with("--")) {
    answer.set_text(told(Error{"a node takes commands, not options"}, order.json()));
  } else {
    auto said = control_.try_answer_as(order.line(), order.json(), by);
    if (!said) return false;
    if (const auto lines = std::count(said->begin(), said->end(), '\n');
        said->size() > kLongestAnswer || lines > kMostAnswerLines)
      said = told(Error{"the answer is too long to send (" + counted(said->size(), "byte") + "); ask at the control " +
                        "socket of this node, without --fleet"},
                  order.json());
    answer.set_text(std::move(*said));
  }
  line_->publish(heard.reply, as_bytes(answer.SerializeAsString()));
  return true;
}

/// By that node's clock: when nobody waits for an order any more that was asked for at `asked`. 0: its clock is
/// unknown.
std::uint64_t FleetControl::until(const std::string& node, Millis asked) const {
  const auto its = seen_.find(node);
  if (its == seen_.end() || its->second.clock == 0) return 0;
  return its->second.clock + (asked - its->second.at) + kAnswer + kOnTheWay;
}

void FleetControl::changed(const net::Network& who, const relay::Ban* ban) {
  (void)mailbox_.post([this, who, ban = ban != nullptr ? std::optional(*ban) : std::nullopt] {
    bans_->changed(who, ban ? &*ban : nullptr);
  });
}

void FleetControl::changed(const net::Network& who, const relay::ListedNetwork* network) {
  (void)mailbox_.post([this, who, network = network != nullptr ? std::optional(*network) : std::nullopt] {
    bans_->changed(who, network ? &*network : nullptr);
  });
}

void FleetControl::measure(Metrics& metrics) const {
  metrics.count("fleet_bans_refused", "Invalid entries of the fleet's bans", {}, bans_->refused());
  metrics.count("fleet_bans_left_out", "Entries of the fleet's bans that this node left out, because it has too many",
                {}, bans_->left_out());
  metrics.count("fleet_queues_refused", "Invalid messages of other nodes about waiting players", {},
                queue_post_->refused());
  metrics.count("fleet_orders_refused", "Invalid orders and announcements of other nodes", {}, refused_);
  metrics.count("fleet_orders_late", "Orders that came when nobody waited for them any more, and were not carried out",
                {}, late_);
  metrics.gauge("fleet_bans_waiting", "Changes of bans and of listed networks here that the fleet does not know yet",
                {}, static_cast<double>(bans_->waiting()));
}

// -- For an operator, on the operator's thread ------------------------------------------------------------------------

std::vector<std::string> FleetControl::nodes() {
  struct Gathering final {
    std::promise<std::vector<std::string>> done;
  };
  const auto gathering = std::make_shared<Gathering>();
  auto future = gathering->done.get_future();
  (void)mailbox_.post([this, gathering] {
    note_connection();
    const auto finish = [this, gathering] {
      std::vector<std::string> nodes;
      for (const auto& [node, its] : seen_)
        if (is_there(its)) nodes.push_back(node);
      gathering->done.set_value(std::move(nodes));
    };
    if (gathered_at_ != 0 && loop_.now() >= gathered_at_ + kGather) return finish();
    if (!std::exchange(gathers_, true))
      line_->subscribe(fleet_.names().state("*"), [this](const fleet::BusMessage& message) { hear_state(message); });
    if (gathered_at_ == 0) gathered_at_ = loop_.now();
    // There is no direct answer: nodes publish their state. The time limit is how long to gather these messages.
    line_->ask(fleet_.names().operation("who"), {}, kGather, kMostNodes,
               [finish](const std::vector<fleet::BusMessage>&) { finish(); });
  });
  if (future.wait_for(std::chrono::milliseconds(kGather + kMargin)) != std::future_status::ready) return {};
  return future.get();
}

FleetControl::Answers FleetControl::ask(const std::vector<std::string>& nodes, const std::string& line, bool json,
                                        const std::string& by) {
  struct Asked {
    Answers answers;
    std::size_t open, bytes;
    std::promise<Answers> done;
  };
  if (nodes.empty()) return {};
  const auto asked = std::make_shared<Asked>();
  for (const std::string& node : nodes) asked->answers.push_back({node, ""});
  asked->open = nodes.size();
  asked->bytes = 0;
  Answers silent = asked->answers;
  auto future = asked->done.get_future();
  bus::Order order;
  order.set_line(line);
  order.set_json(json);
  order.set_by(well_formed(whole_characters(by, kLongestBy / 2)) + ", at " + fleet_.node());
  (void)mailbox_.post([this, asked, json, order, at = steady_now()]() mutable {
    for (NodeAnswer& answer : asked->answers) {
      order.set_until_ms(until(answer.node, at));
      line_->ask(
          fleet_.names().order(answer.node), as_bytes(order.SerializeAsString()), kAnswer, 1,
          [asked, &answer, json](const std::vector<fleet::BusMessage>& messages) {
            bus::Answer said;
            if (!messages.empty() && fleet::decode(messages.front().bytes, said)) answer.text = said.text();
            if (answer.text.size() > kMostOfAnswers - asked->bytes)
              answer.text = told(Error{"the answers of all nodes are too long together"}, json);
            asked->bytes += std::min(answer.text.size(), kMostOfAnswers - asked->bytes);
            if (--asked->open == 0) asked->done.set_value(std::move(asked->answers));
          },
          fleet_.names().answer(answer.node));
    }
  });
  if (future.wait_for(std::chrono::milliseconds(kAnswer + kMargin)) != std::future_status::ready) return silent;
  return future.get();
}

std::string FleetControl::answer(std::string_view line, bool json, const std::string& by) {
  const fleet::Bus& bus = fleet_.bus();
  const auto begins = [&] { return !bus.connected() && bus.counts().connects == 0 && bus.last_error().empty(); };
  for (Millis waited = 0; waited < kFirstConnection && begins(); waited += 10)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  if (begins()) return told(Error{"this node is not connected to NATS yet, try again"}, json);
  if (!bus.connected()) {
    const std::string why = bus.last_error();
    return told(Error{"this node is not connected to NATS" + (why.empty() ? "" : ": " + why)}, json);
  }
  return run(well_formed(trimmed(line)), json, by);
}

std::string FleetControl::run(std::string_view line, bool json, const std::string& by) {
  constexpr std::array<std::string_view, 8> kOfAll = {"list",   "find",    "who",   "routes",
                                                      "access", "servers", "stats", "recordings"};
  std::string_view rest = line;
  const std::string name(first_word(rest));
  const std::string at_all = name == "nodes" ? "node" : std::string(line);
  if (at_all.size() > kLongestOrder) return told(Error{"the command is too long"}, json);
  // The fleet shares these lists, so one node carries out the command for all.
  constexpr std::array<std::string_view, 5> kShared = {"bans", "unban", "allow", "deny", "unlist"};
  if (std::find(kShared.begin(), kShared.end(), name) != kShared.end()) return control_.answer_as(line, json, by);
  const auto there = nodes();
  if (there.empty())
    return told(Error{"no node of the fleet answers; check that this node's account may give orders"}, json);
  if ((name == "nodes" && rest.empty()) || name == "say" ||
      std::find(kOfAll.begin(), kOfAll.end(), name) != kOfAll.end())
    return merged_answers(ask(there, at_all, json, by), json);
  if (name == "kick" || name == "ban") return meet(name, rest, there, json, by);
  if (name == "move") return move(rest, there, json, by);
  if (name == "drain" || name == "undrain") {
    const std::string node = first_argument(rest);
    if (std::find(there.begin(), there.end(), node) == there.end())
      return told(Error{node.empty() ? "usage: " + name + " NODE"
                                     : "no node is called '" + control_field(node) + "'; `nodes` lists them"},
                  json);
    const std::string referrals =
        name == "drain" ? referrals_beside(node, there, name.size() + rest.size() + 2, by) : "";
    return merged_answers(ask({node}, name + referrals + " " + std::string(rest), json, by), json);
  }
  return told(Error{"'" + control_field(name) + "' is not a fleet command; commands: " + std::string(kFleetCommands)},
              json);
}

/// The sessions on all nodes that match `target`; an error unless all nodes have answered.
Outcome<std::vector<AnswerRow>> FleetControl::find(const std::string& target, const std::vector<std::string>& nodes,
                                                   const std::string& by) {
  const auto far = far_link(target);
  if (far && std::find(nodes.begin(), nodes.end(), far->node) == nodes.end())
    return Error{"no node is called '" + far->node + "'; `nodes` lists them"};
  if (!far && Target::parse(target).link) return Error{"a link belongs to one node: write NODE/" + target};
  const auto answers =
      ask(far ? std::vector{far->node} : nodes, "who " + as_argument(far ? far->link : target), true, by);
  for (const NodeAnswer& one : answers)
    if (!one.text.starts_with('['))
      return Error{"node " + one.node +
                   (one.text.empty() ? " does not answer" : " has failed to look, as `who` shows") +
                   ", and the player may be there"};
  return rows_of_answers(answers);
}

std::string FleetControl::meet(const std::string& order, std::string_view rest, const std::vector<std::string>& nodes,
                               bool json, const std::string& by) {
  const std::string target = first_argument(rest);
  if (target.empty()) return told(Error{"usage: " + order + " NODE/LINK|NAME|ADDRESS"}, json);
  const Target parsed = Target::parse(target);
  const auto found = find(target, nodes, by);
  const bool by_address = order == "ban" && (parsed.network || parsed.address) && !far_link(target);
  if (!found && !by_address) return told(found.error(), json);
  const std::vector<AnswerRow> those = found ? *found : std::vector<AnswerRow>();
  if (by_address) {
    std::string line = "ban " + as_argument(target);
    if (!rest.empty()) line += " " + std::string(rest);
    const std::string said = control_.answer_as(line, json, by);
    if (json || !said.starts_with(kTextDone) || those.empty()) return said;
    return said + "in the fleet: " + counted(those.size(), "session") + ", " + text_of(those) + "\n";
  }
  if (those.empty()) return told(nobody_is(parsed), json);
  std::set<std::string> addresses;
  for (const AnswerRow& one : those) {
    const auto client = net::Address::parse(one.client);
    addresses.insert(client ? net::Network::of_host(*client).text() : "");
  }
  const bool one_is_meant = order == "kick" ? those.size() == 1 : addresses.size() == 1;
  if (!one_is_meant) return told(Error{"'" + target + "' is ambiguous, name a link: " + text_of(those)}, json);
  if (order == "kick")
    return merged_answers(
        ask({those[0].node}, "kick " + those[0].link + (rest.empty() ? "" : " ") + std::string(rest), json, by), json);
  if (addresses.contains("")) return told(Error{text_of(those) + " is a bot; it has no address"}, json);
  return meet("ban", *addresses.begin() + (rest.empty() ? "" : " ") + std::string(rest), nodes, json, by);
}

/// Options of `drain` for that node, which name for each game and place another node that has it, too. `length`: of the
/// rest of the order.
std::string FleetControl::referrals_beside(const std::string& node, const std::vector<std::string>& nodes,
                                           std::size_t length, const std::string& by) {
  std::vector<std::string> others;
  for (const std::string& other : nodes)
    if (other != node) others.push_back(other);
  std::set<std::pair<std::string, std::string>> known;
  std::string referrals;
  for (const AnswerRow& row : rows_of_answers(ask(others, "listeners", true, by))) {
    const std::string referral = " --refer " + in_quotes(row.game + "," + row.place + "," + row.address);
    if (row.game.empty() || row.place.empty() || row.address.empty() || screen_text(referral) != referral) continue;
    if (length + referrals.size() + referral.size() > kLongestOrder || !known.emplace(row.game, row.place).second)
      continue;
    referrals += referral;
  }
  return referrals;
}

/// Moves a player to another route of the player's node, or to another node. For the latter, the client must reconnect.
std::string FleetControl::move(std::string_view rest, const std::vector<std::string>& nodes, bool json,
                               const std::string& by) {
  const std::string target = first_argument(rest);
  const std::string where = whole_text(rest);
  if (target.empty() || where.empty()) return told(Error{"usage: move NODE/LINK|NAME|ADDRESS ROUTE|NODE"}, json);
  const auto found = find(target, nodes, by);
  if (!found) return told(found.error(), json);
  if (found->empty()) return told(nobody_is(Target::parse(target)), json);
  if (found->size() > 1) return told(Error{"'" + target + "' is ambiguous, name a link: " + text_of(*found)}, json);
  const AnswerRow& player = found->front();
  std::string order = "move " + player.link + " " + as_argument(where);
  if (std::find(nodes.begin(), nodes.end(), where) != nodes.end()) {
    if (where == player.node) return told(Error{text_of(player) + " is on that node already"}, json);
    const std::string game = player.game.substr(0, player.game.find(' '));
    Answers listener = ask({where}, "listener " + as_argument(game), false, by);
    std::string& said = listener.front().text;
    if (json && said.starts_with(kTextError)) said = told(Error{error_in(said)}, true);
    if (!said.starts_with(kTextDone)) return merged_answers(listener, json);
    order = "refer " + player.link + " " + as_argument(said.substr(3, said.find('\n', 3) - 3));
  }
  const Answers answers = ask({player.node}, order, json, by);
  const std::string& said = answers.front().text;
  if (!json && said.starts_with(kTextError)) return told(Error{player.node + ": " + error_in(said)}, false);
  return merged_answers(answers, json);
}

}  // namespace entente
