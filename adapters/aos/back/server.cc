#include "adapters/aos/back/server.h"

#include <utility>


namespace entente::aos {
namespace {

constexpr int kMostMalformed = 50;

/// Snapshots are World Updates, and in 0.80 State Updates.
bool is_snapshot(const wire::Frame& frame, bool state_updates) {
  constexpr std::uint8_t kStateUpdate = 0, kWorldUpdate = 2;
  return !frame.bytes.empty() && (frame.bytes[0] == kWorldUpdate || (state_updates && frame.bytes[0] == kStateUpdate));
}

}  // namespace

Server::Server(std::size_t dialect)
    : dialect_(dialect), codec_(make_message_codec(dialect)), snapshot_codec_(make_message_codec(dialect)) {}

const Message* Server::read(const wire::Frame& frame, BackOut& out) {
  const auto heard = (is_snapshot(frame, dialect().state_updates) ? snapshot_codec_ : codec_)->read(frame);
  if (heard) return heard->message;
  const bool unknown = wire::unknown_code(heard.error());
  out.drop(unknown ? drops::kUnknownDown : drops::kMalformed);
  if (!unknown && ++malformed_ > kMostMalformed) fail(heard.error(), out);
  return nullptr;
}

void Server::write(const Message& message, BackOut& out, Lane lane) {
  buffer_.clear();
  codec_->write(message, wire::Way::kToServer, buffer_);
  out.send(lane, buffer_);
}

void Server::refuse(words::Refused::Code code, std::string_view text, BackOut& out) {
  words::Refused refused;
  refused.set_code(code);
  refused.set_text(std::string(text));
  refused.set_may_retry(code == words::Refused::FULL || code == words::Refused::TOO_SOON);
  out.say(std::move(refused));
  if (!std::exchange(gone, true)) out.close(text);
}

void Server::fail(const Fault& fault, BackOut& out) {
  if (!std::exchange(gone, true)) out.fail(fault);
}

void tell_rule(const char* name, std::string value, BackOut& out) {
  words::Rule rule;
  rule.set_name(name);
  rule.set_value(std::move(value));
  out.say(std::move(rule));
}

}  // namespace entente::aos
