#include "proxy/relay/faults/lab_plan.h"

#include <algorithm>
#include <charconv>
#include <set>
#include <utility>

namespace entente::relay {

/// The faults that a clause can set for a direction.
enum class LabKey : std::uint8_t { kLoss, kDup, kReorder, kReset, kDelay, kStall, kRate, kSlice, kCut, kCount };
constexpr std::size_t kLabKeys = static_cast<std::size_t>(LabKey::kCount);
constexpr std::array<std::string_view, kLabKeys> kLabKeyNames{"loss",  "dup",  "reorder", "reset", "delay",
                                                              "stall", "rate", "slice",   "cut"};

/// What a clause sets for the directions that it names.
struct LabClause {
  bool names(std::size_t way) const { return !one_way || *one_way == way; }
  /// Sets in `rules` what this clause sets.
  void apply(LabRules& rules) const;

  std::optional<std::size_t> one_way;  // index of LabPlan::Phase::ways; nothing: both
  std::array<bool, kLabKeys> sets = {};
  LabRules rules;
  Millis from = 0, until = 0;  // of a clause with "at"
};

void LabClause::apply(LabRules& to) const {
  const auto set = [&](LabKey key) { return sets[static_cast<std::size_t>(key)]; };
  if (set(LabKey::kLoss)) to.loss = rules.loss;
  if (set(LabKey::kDup)) to.dup = rules.dup;
  if (set(LabKey::kReorder)) to.reorder = rules.reorder;
  if (set(LabKey::kReset)) to.reset = rules.reset;
  if (set(LabKey::kDelay)) to.delay = rules.delay, to.jitter = rules.jitter;
  if (set(LabKey::kStall)) to.stall = rules.stall, to.stall_for = rules.stall_for;
  if (set(LabKey::kRate)) to.rate = rules.rate;
  if (set(LabKey::kSlice)) to.slice_least = rules.slice_least, to.slice_most = rules.slice_most;
  if (set(LabKey::kCut)) to.cut = rules.cut;
  for (const LabSaid& one : rules.said)
    std::erase_if(to.said, [&](const LabSaid& old) { return old.does == one.does && old.messages == one.messages; });
  to.said.insert(to.said.end(), rules.said.begin(), rules.said.end());
}

namespace {

constexpr Millis kLongestSchedule = 604'800'000;  // of what stands after "at" and "for"

/// The text in one line, without comments.
std::string in_one_line(std::string_view text) {
  std::string line;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view part = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    part = part.substr(0, part.find('#'));
    const auto first = part.find_first_not_of(" \t\r;"), last = part.find_last_not_of(" \t\r;");
    if (first != part.npos) line += (line.empty() ? "" : "; ") + std::string(part.substr(first, last - first + 1));
  }
  return line;
}

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_name_part(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '.';
}

}  // namespace

class LabParser {
 public:
  LabParser(std::string_view text, const LabPlan::Names& names) : text_(text), names_(names) {}

  Outcome<LabPlan> parse() {
    plan_.text_ = in_one_line(text_);
    if (text_.size() > LabPlan::kLongestSpec)
      (void)fail(0, "is longer than " + std::to_string(LabPlan::kLongestSpec) + " bytes");
    while (error_.empty() && !at_end()) {
      if (take(';') || take('\n')) continue;
      if (!clause()) break;
      if (!at_end() && !sees(';') && !sees('\n')) (void)fail(at_, "expected ',' or ';', got " + shown());
    }
    if (error_.empty() && general_.empty() && timed_.empty()) (void)fail(0, "names no fault, such as loss=2%");
    if (!error_.empty()) return Error{error_};
    make_phases();
    return std::move(plan_);
  }

 private:
  // -- Letters --------------------------------------------------------------------------------------------------------

  void skip() {
    while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
    if (at_ < text_.size() && text_[at_] == '#')
      while (at_ < text_.size() && text_[at_] != '\n') ++at_;
  }
  bool at_end() {
    skip();
    return at_ == text_.size();
  }
  bool sees(std::string_view part) {
    skip();
    return text_.substr(at_).starts_with(part);
  }
  bool sees(char c) { return sees(std::string_view(&c, 1)); }
  bool take(std::string_view part) {
    if (!sees(part)) return false;
    at_ += part.size();
    return true;
  }
  bool take(char c) { return take(std::string_view(&c, 1)); }
  std::string_view word() {
    skip();
    std::size_t end = at_;
    while (end < text_.size() && is_name_part(text_[end])) ++end;
    return text_.substr(at_, end - at_);
  }
  bool take_word(std::string_view wanted) {
    if (word() != wanted) return false;
    at_ += wanted.size();
    return true;
  }
  /// What stands here, for an error.
  std::string shown() {
    if (at_end() || sees('\n')) return "the end";
    std::size_t end = at_ + 1;
    while (end < text_.size() && end - at_ < 20 && !is_blank(text_[end]) && text_[end] != ';' && text_[end] != ',' &&
           text_[end] != '\n')
      ++end;
    return "'" + std::string(text_.substr(at_, end - at_)) + "'";
  }
  bool fail(std::size_t at, const std::string& what) {
    if (error_.empty()) error_ = "at offset " + std::to_string(at) + ": " + what;
    return false;
  }

  // -- Values ---------------------------------------------------------------------------------------------------------

  /// A decimal number, times `unit`.
  bool decimal(std::uint64_t unit, std::uint64_t most, std::uint64_t& value, const char* such_as) {
    skip();
    const std::size_t began = at_;
    std::uint64_t whole = 0, part = 0, scale = 1;
    std::size_t digits = 0;
    for (; at_ < text_.size() && is_digit(text_[at_]); ++at_, ++digits)
      if (whole < most) whole = whole * 10 + static_cast<std::uint64_t>(text_[at_] - '0');
    if (digits != 0 && at_ + 1 < text_.size() && text_[at_] == '.' && is_digit(text_[at_ + 1]))
      for (++at_; at_ < text_.size() && is_digit(text_[at_]); ++at_)
        if (scale < 1'000'000) part = part * 10 + static_cast<std::uint64_t>(text_[at_] - '0'), scale *= 10;
    if (digits == 0) return fail(began, std::string("expected ") + such_as + ", got " + shown());
    whole_ = whole, part_ = part, scale_ = scale;
    value = scaled(unit, most);
    return true;
  }
  /// The number that was read last, times `unit`; at most `most` + 1.
  std::uint64_t scaled(std::uint64_t unit, std::uint64_t most) const {
    if (whole_ > most / unit) return most + 1;
    return std::min(whole_ * unit + part_ * unit / scale_, most + 1);
  }

  bool share(LabShare& value) {
    constexpr const char* kSuchAs = "a share such as 2%";
    skip();
    const std::size_t began = at_;
    std::uint64_t millionths = 0;
    if (!decimal(10'000, kLabAlways, millionths, kSuchAs)) return false;
    if (!take('%')) return fail(at_, "expected '%' after the number, got " + shown());
    if (millionths > kLabAlways) return fail(began, "expected a share from 0% to 100%");
    value = static_cast<LabShare>(millionths);
    return true;
  }

  bool time(Millis& value, Millis most) {
    skip();
    const std::size_t began = at_;
    std::uint64_t millis = 0;
    if (!decimal(1, most, millis, "a time such as 80ms or 1.5s")) return false;
    const bool known = take_word("ms") || (take_word("s") && (millis = scaled(1'000, most), true)) ||
                       (take_word("min") && (millis = scaled(60'000, most), true));
    if (!known) return fail(at_, "expected ms, s or min after the number, got " + shown());
    if (millis > most) return fail(began, "expected a time of at most " + std::to_string(most / 1'000) + "s");
    value = millis;
    return true;
  }

  bool rate(std::uint64_t& value) {
    constexpr std::uint64_t kMost = 1'000'000'000'000;
    skip();
    const std::size_t began = at_;
    std::uint64_t bits = 0;
    if (!decimal(1, kMost, bits, "a rate such as 64kbit")) return false;
    const std::array<std::pair<std::string_view, std::uint64_t>, 4> units{
        {{"bit", 1}, {"kbit", 1'000}, {"Mbit", 1'000'000}, {"Gbit", 1'000'000'000}}};
    const auto* const unit =
        std::find_if(units.begin(), units.end(), [&](const auto& one) { return take_word(one.first); });
    if (unit == units.end()) return fail(at_, "expected bit, kbit, Mbit or Gbit after the number, got " + shown());
    (void)(take("/s"));
    bits = scaled(unit->second, kMost);
    if (bits < 100 || bits > kMost) return fail(began, "expected a rate from 100bit to 1000Gbit");
    value = bits;
    return true;
  }

  bool bytes(std::uint32_t& value) {
    constexpr std::uint64_t kMost = 65'536;
    skip();
    const std::size_t began = at_;
    std::uint64_t count = 0;
    if (!decimal(1, kMost, count, "a number of bytes")) return false;
    if (count == 0 || count > kMost || part_ != 0) return fail(began, "expected 1 to 65536 bytes");
    value = static_cast<std::uint32_t>(count);
    return true;
  }

  // -- Clauses --------------------------------------------------------------------------------------------------------

  bool clause() {
    if (take_word("seed")) return seed();
    if (take_word("above")) return layer(LabPlan::Layer::kAbove);
    if (take_word("below")) return layer(LabPlan::Layer::kBelow);
    LabClause made;
    const bool timed = take_word("at");
    const std::size_t began = at_;
    if (timed && !time(made.from, kLongestSchedule)) return false;
    if (!way(made) || !faults(made, timed)) return false;
    made.until = ~Millis{0};
    if (take_word("for")) {
      Millis length = 0;
      if (!timed) return fail(at_, "'for' belongs to a clause that begins with 'at'");
      if (!time(length, kLongestSchedule)) return false;
      made.until = made.from + length;
    }
    if ((timed ? timed_ : general_).size() == LabPlan::kMostSaid)
      return fail(began, "there are more than " + std::to_string(LabPlan::kMostSaid) + " clauses");
    if (!timed && !is_new(made, began)) return false;
    (timed ? timed_ : general_).push_back(std::move(made));
    return true;
  }

  bool seed() {
    if (!take('=')) return fail(at_, "expected '=' after seed, got " + shown());
    skip();
    const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), plan_.seed_);
    if (error != std::errc()) return fail(at_, "expected a number from 0 to 18446744073709551615, got " + shown());
    at_ = static_cast<std::size_t>(end - text_.data());
    return true;
  }

  bool layer(LabPlan::Layer layer) {
    plan_.layer_ = layer;
    return true;
  }

  bool way(LabClause& made) {
    constexpr std::array<std::string_view, 2> kWays{"to_server", "to_client"};
    for (std::size_t index = 0; index < kWays.size(); ++index) {
      const std::string_view name = kWays[index];
      if (word() != name) continue;
      at_ += name.size();
      made.one_way = index;
      return take(':') || fail(at_, "expected ':' after " + std::string(name) + ", got " + shown());
    }
    return true;
  }

  bool faults(LabClause& made, bool timed) {
    do {
      if (!fault(made, timed)) return false;
    } while (take(','));
    return true;
  }

  bool fault(LabClause& made, bool timed) {
    skip();
    const std::size_t began = at_;
    const std::string_view name = word();
    at_ += name.size();
    if (sees('=')) return setting(made, name, began);
    if (name == "drop") return said(made, LabSaid::Does::kDrop);
    if (name == "duplicate") return said(made, LabSaid::Does::kDuplicate);
    if (name == "delay") return said(made, LabSaid::Does::kHold);
    if (name == "corrupt") return said(made, LabSaid::Does::kCorrupt);
    if (name == "cut") return cut(made, timed, began);
    at_ = began;
    return fail(
        began,
        "expected a fault (loss=, dup=, reorder=, reset=, delay=, stall=, rate=, slice=, drop NAME, delay NAME, "
        "duplicate NAME, corrupt NAME), got " +
            shown());
  }

  /// A fault with '='.
  bool setting(LabClause& made, std::string_view name, std::size_t began) {
    const auto found = std::find(kLabKeyNames.begin(), kLabKeyNames.end() - 1, name);
    if (found == kLabKeyNames.end() - 1) {
      at_ = began;
      return fail(began, "unknown fault " + shown() + "; faults: loss, dup, reorder, reset, delay, stall, rate, slice");
    }
    (void)take('=');
    const auto key = static_cast<LabKey>(found - kLabKeyNames.begin());
    if (std::exchange(made.sets[static_cast<std::size_t>(key)], true))
      return fail(began, std::string(name) + " is set twice");
    LabRules& rules = made.rules;
    switch (key) {
      case LabKey::kLoss:
        return share(rules.loss);
      case LabKey::kDup:
        return share(rules.dup);
      case LabKey::kReorder:
        return share(rules.reorder);
      case LabKey::kReset:
        return share(rules.reset);
      case LabKey::kDelay:
        return delay(rules);
      case LabKey::kStall:
        return share(rules.stall) &&
               (take(':') || fail(at_, "expected ':' and a time, as in 1%:500ms, got " + shown())) &&
               time(rules.stall_for, LabPlan::kLongestWait);
      case LabKey::kRate:
        return rate(rules.rate);
      case LabKey::kSlice:
        return slice(rules);
      default:
        return false;
    }
  }

  bool delay(LabRules& rules) {
    if (!time(rules.delay, LabPlan::kLongestWait)) return false;
    if (!take("\xc2\xb1") && !take("+-")) return true;
    skip();
    const std::size_t began = at_;
    if (!time(rules.jitter, LabPlan::kLongestWait)) return false;
    return rules.jitter <= rules.delay || fail(began, "the part after ± is larger than the delay");
  }

  bool slice(LabRules& rules) {
    if (!bytes(rules.slice_least)) return false;
    rules.slice_most = rules.slice_least;
    if (!take('-')) return true;
    skip();
    const std::size_t began = at_;
    if (!bytes(rules.slice_most)) return false;
    return rules.slice_least <= rules.slice_most || fail(began, "expected no less than the number before '-'");
  }

  /// A fault of messages that say something.
  bool said(LabClause& made, LabSaid::Does does) {
    LabSaid rule{.does = does};
    if (does == LabSaid::Does::kCorrupt && take_word("one") && !(take_word("field") && take_word("of")))
      return fail(at_, "expected 'one field of NAME', got " + shown());
    skip();
    const std::size_t began = at_;
    rule.name = word();
    if (rule.name.empty()) return fail(at_, "expected the name of a message or a word, got " + shown());
    at_ += rule.name.size();
    if (does == LabSaid::Does::kHold && !time(rule.hold, LabPlan::kLongestWait)) return false;
    skip();
    if (at_ < text_.size() && is_digit(text_[at_]) && !share(rule.share)) return false;
    if (!names_) return fail(began, "messages cannot be told apart here");
    auto messages = names_(rule.name);
    if (!messages) return fail(began, messages.error().text);
    rule.messages = std::move(*messages);
    plan_.reads_ = true;
    if (++said_ > LabPlan::kMostSaid)
      return fail(began, "there are more than " + std::to_string(LabPlan::kMostSaid) + " faults of messages");
    made.rules.said.push_back(std::move(rule));
    return true;
  }

  bool cut(LabClause& made, bool timed, std::size_t began) {
    if (!take_word("the") || !take_word("server")) return fail(at_, "expected 'cut the server', got " + shown());
    if (!timed) return fail(began, "expected a time before 'cut the server', as in 'at 10s cut the server for 5s'");
    made.sets[static_cast<std::size_t>(LabKey::kCut)] = true;
    made.rules.cut = true;
    return true;
  }

  /// Whether no clause before sets the same for the same way.
  bool is_new(const LabClause& made, std::size_t began) {
    for (const LabClause& one : general_)
      for (std::size_t key = 0; key < kLabKeys; ++key)
        if (one.one_way == made.one_way && one.sets[key] && made.sets[key])
          return fail(began, std::string(kLabKeyNames[key]) + " is set twice");
    return true;
  }

  // -- The plan -------------------------------------------------------------------------------------------------------

  void make_phases() {
    std::set<Millis> begins{0};
    for (const LabClause& one : timed_) {
      begins.insert(one.from);
      if (one.until != ~Millis{0}) begins.insert(one.until);
    }
    for (const Millis from : begins) {
      LabPlan::Phase phase{.from = from};
      for (std::size_t way = 0; way < phase.ways.size(); ++way) {
        for (const bool of_one_way : {false, true})
          for (const LabClause& one : general_)
            if (one.one_way.has_value() == of_one_way && one.names(way)) one.apply(phase.ways[way]);
        for (const LabClause& one : timed_)
          if (one.names(way) && one.from <= from && from < one.until) one.apply(phase.ways[way]);
      }
      plan_.phases_.push_back(std::move(phase));
    }
  }

  const std::string_view text_;
  const LabPlan::Names& names_;
  std::size_t at_ = 0, said_ = 0;
  std::uint64_t whole_ = 0, part_ = 0, scale_ = 1;  // the decimal number that was read last
  std::string error_;
  LabPlan plan_;
  std::vector<LabClause> general_, timed_;
};

Outcome<LabPlan> LabPlan::parse(std::string_view text, const Names& names) { return LabParser(text, names).parse(); }

std::optional<Error> LabPlan::objection(wire::Transport transport, bool datagrams) const {
  if (layer_ != Layer::kAny && transport != wire::Transport::kEnet)
    return Error{"'above' and 'below' are for games over ENet"};
  if (layer_ == Layer::kBelow && !datagrams)
    return Error{
        "'below' needs ?mode=datagrams in the listener's URL: otherwise Entente has a connection of its own to "
        "each side, and the lab is above them"};
  if (layer_ == Layer::kAbove && datagrams)
    return Error{"'above' does not go with ?mode=datagrams, where ENet's datagrams pass untouched"};
  if (reads_ && datagrams)
    return Error{"messages cannot be told apart with ?mode=datagrams, where ENet's datagrams pass untouched"};
  return std::nullopt;
}

std::string LabPlan::without_effect(wire::Transport transport) const {
  using wire::Transport;
  const auto any = [this](const auto& has) {
    return std::any_of(phases_.begin(), phases_.end(),
                       [&](const Phase& one) { return has(one.ways[0]) || has(one.ways[1]); });
  };
  std::string text;
  const auto add = [&](const char* fault, const char* why) {
    text += (text.empty() ? "" : "; ") + std::string(fault) + why;
  };
  const bool by_enet = transport == Transport::kEnet, by_web = transport == Transport::kWebSocket;
  const char* const once = by_web ? " does nothing over WebSocket, where all that is sent arrives once and in order"
                                  : " does nothing over TCP, where all that is sent arrives once and in order";
  if ((by_web || transport == Transport::kTcp) && any([](const LabRules& one) { return one.dup != 0; }))
    add("dup", once);
  if ((by_web || transport == Transport::kTcp) && any([](const LabRules& one) { return one.reorder != 0; }))
    add("reorder", once);
  if ((by_web || by_enet) && any([](const LabRules& one) { return one.slice_least != 0; }))
    add("slice", by_web ? " does nothing over WebSocket, where a message stays whole"
                        : " does nothing over ENet, where a packet stays whole");
  if (by_enet && any([](const LabRules& one) { return one.reset != 0; })) add("reset", " does nothing over ENet");
  return text;
}

}  // namespace entente::relay
