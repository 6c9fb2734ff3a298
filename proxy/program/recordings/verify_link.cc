#include "proxy/program/recordings/verify_link.h"

#include <algorithm>
#include <utility>

#include "adapters/wire/print.h"

namespace entente {
namespace {

using wire::Frame, wire::Way;

/// A server that closes a link because of a message does so within this time. (bzfs waits 2.5 s for a better message.)
constexpr WallTime kSoon = 4'000'000'000;
/// Client messages that wait for the server's reaction.
constexpr std::size_t kMostWaiting = 256;

/// Close codes of ENet and WebSocket that are not a complaint: "done", "going away", "no code".
bool ordinary(int code) { return code == 0 || code == 1000 || code == 1001 || code == 1005; }

/// The first byte in which two differ, or where the shorter ends.
std::size_t first_difference(Bytes a, Bytes b) {
  const auto [at, other] = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  return static_cast<std::size_t>(at - a.begin());
}

}  // namespace

VerifiedLink::VerifiedLink(std::string name, const GameDialect& game_dialect, VerifyContext& context)
    : name_(std::move(name)),
      game_dialect_(game_dialect),
      context_(context),
      codec_(&context.codecs.of(game_dialect)),
      dissector_(*game_dialect.game, game_dialect.dialect) {}

void VerifiedLink::connected(const GameDialect& game_dialect) {
  count_waiting();  // what became of an earlier connection says nothing of this one
  client_ended_ = false;
  speak(game_dialect);
}

void VerifiedLink::bytes(const Imported& piece) {
  now_ = piece.time;
  if (piece.way == Way::kToServer && !std::exchange(client_spoke_, true)) speak(as_named(game_dialect_, piece.bytes));
  if (piece.lane == Lane::kDatagram)
    dissector_.datagram(piece.way, piece.bytes, *this);
  else
    dissector_.stream(piece.way, piece.bytes, *this);
}

void VerifiedLink::speak(const GameDialect& game_dialect) {
  if (game_dialect.dialect == game_dialect_.dialect) return;
  game_dialect_ = game_dialect;
  codec_ = &context_.codecs.of(game_dialect_);
  dissector_ = wire::Dissector(*game_dialect_.game, game_dialect_.dialect);
}

void VerifiedLink::lost(Way way, std::uint64_t bytes) {
  after_loss(way, {});  // an earlier one
  lost_[index(way)] = bytes;
  if (keeps_messages(game_dialect_.game->transport()))
    after_loss(way, {});
  else
    dissector_.end(way, *this, true);
}

void VerifiedLink::missing(Way way) {
  if (way == Way::kToServer) client_spoke_ = true;
  dissector_.skip(way, *this);
}

void VerifiedLink::ended(const ImportedClose& end) {
  if (end.by == Way::kToServer) client_ended_ = true;
  const bool complains = end.code ? !ordinary(*end.code) : end.by == Way::kToClient;
  if (client_ended_ || !complains) return;
  count_older(end.time);
  tally_.refused += waiting_.size();
  waiting_.clear();
}

const Tally& VerifiedLink::finish() {
  for (const Way way : {Way::kToServer, Way::kToClient}) after_loss(way, {});
  count_waiting();
  return tally_;
}

/// The server did not refuse the messages that wait: they count as undecoded.
void VerifiedLink::count_waiting() { count_until(waiting_.end()); }

/// Those that the server would have refused before `now`.
void VerifiedLink::count_older(WallTime now) {
  count_until(
      std::find_if(waiting_.begin(), waiting_.end(), [&](const Waiting& each) { return now <= each.time + kSoon; }));
}

void VerifiedLink::count_until(std::vector<Waiting>::iterator end) {
  std::for_each(waiting_.begin(), end, [&](const Waiting& each) { context_.reporter.say(each.report); });
  tally_.undecoded += static_cast<std::uint64_t>(end - waiting_.begin());
  waiting_.erase(waiting_.begin(), end);
}

std::string VerifiedLink::line() const {
  std::string out;
  wire::escape(name_, out);
  (((out += ' ') += game_dialect_.game->name()) += ' ') += game_dialect_.game->dialects()[game_dialect_.dialect].name;
  (out += ' ') += text(tally_);
  for (const Way way : {Way::kToServer, Way::kToClient}) {
    const std::string whose = std::string(" (") + wire::text(way) + ": ";
    if (const auto left = dissector_.pending(way); left != 0)
      out += whose + std::to_string(left) + " bytes of an unfinished message)";
    if (const auto uncut = uncut_[index(way)]; uncut != 0)
      out += whose + std::to_string(uncut) + " bytes could not be cut into messages)";
  }
  return out;
}

bool VerifiedLink::flawless() const {
  if (tally_.exact != tally_.frames) return false;
  for (const Way way : {Way::kToServer, Way::kToClient})
    if (dissector_.pending(way) != 0 || uncut_[index(way)] != 0) return false;
  return true;
}

void VerifiedLink::frame(const Frame& frame) {
  ++tally_.frames;
  const auto row = codec_->decode(frame);
  if (row)
    compare(frame, **row);
  else
    undecoded(frame, row.error());
}

void VerifiedLink::raw(Way way, Lane lane, Bytes bytes, const Fault* why) {
  if (why == nullptr) return after_loss(way, bytes);
  ++tally_.frames;
  undecoded({way, lane, wire::Stage::kPlay, bytes}, *why);
}

void VerifiedLink::compare(const Frame& frame, const wire::Row& row) {
  again_.clear();
  codec_->encode(again_);
  const std::size_t opaque = opaque_bytes(*codec_);
  if (same(again_, frame.bytes)) {
    ++(opaque == 0 ? tally_.exact : tally_.opaque);
    if (opaque == 0) return;
    const std::string why = std::to_string(opaque) + " bytes are not understood";
    return context_.reporter.say(explain(frame.way, {"is opaque", row.name, why, "", 0, frame.bytes}));
  }
  ++tally_.mismatched;
  const std::size_t at = first_difference(frame.bytes, again_);
  // The message cut off where the bytes differ: its fault names the field that begins or lies there.
  const auto cut = codec_->decode({frame.way, frame.lane, frame.stage, frame.bytes.first(at)});
  const std::string why = "encodes to " + std::to_string(again_.size()) + " bytes, there " + hex_around(again_, at);
  context_.reporter.say(
      explain(frame.way, {"does not survive", row.name, why, cut ? "" : cut.error().field, at, frame.bytes}));
}

void VerifiedLink::undecoded(const Frame& frame, const Fault& fault) {
  const bool client = frame.way == Way::kToServer;
  if (client && game_dialect_.game->ignores(frame, game_dialect_.dialect) != nullptr) {
    ++tally_.refused;
    return;
  }
  const wire::Row* row = codec_->find(frame);
  auto report = explain(frame.way, {"does not decode", row != nullptr ? row->name : "", fault.what, fault.field,
                                    fault.offset, frame.bytes});
  if (client) count_older(now_);
  if (client && waiting_.size() < kMostWaiting) return waiting_.push_back({now_, std::move(report)});
  ++tally_.undecoded;
  context_.reporter.say(report);
}

void VerifiedLink::after_loss(Way way, Bytes bytes) {
  uncut_[index(way)] += bytes.size();
  const auto lost = std::exchange(lost_[index(way)], std::nullopt);
  if (!lost) return;
  ++tally_.frames;
  ++tally_.undecoded;
  const std::string why = "the file lacks " + std::to_string(*lost) + " bytes here";
  context_.reporter.say(explain(way, {"cannot be cut out", "", why, "", 0, bytes}));
}

ProblemReport VerifiedLink::explain(Way way, const MessageProblem& problem) {
  return context_.reporter.explain(problem, name_, way, now_ - std::min(now_, context_.start.value_or(now_)));
}

}  // namespace entente
