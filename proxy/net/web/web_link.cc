#include "proxy/net/web/web_link.h"

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <utility>

#include "proxy/base/text.h"

namespace entente::net {
namespace {

constexpr std::size_t kKeptLinkRoom = 16 * 1024;
constexpr std::size_t kMostAhead = 64 * 1024;  // bytes that are encrypted before the peer has read the others
constexpr std::uint64_t kNanosPerMilli = 1'000'000;

unsigned status_of(const Fault& fault) {
  const std::string_view what = fault.what;
  return what == "head too large" || what == "too many headers" ? 431 : 400;
}

}  // namespace

WebLink::WebLink(Loop& loop, WebSocket::Role role, std::size_t largest, WebUser& user)
    : loop_(loop), role_(role), user_(user), tcp_(loop, *this), messages_(role, largest, *this) {}

void WebLink::use_tls(const TlsContext* tls, const std::string& name) {
  if (tls) tls_ = std::make_unique<Tls>(*tls, name);
}

// -- Server -----------------------------------------------------------------------------------------------------------

bool WebLink::adopt(Fd fd, const TlsContext* tls, const Address& client) {
  use_tls(tls, {});
  if (tls_) tls_->set_gate(*this);
  client_ = client;
  head_ = std::make_unique<HttpReader>(HttpReader::Of::kRequest);
  return tcp_.adopt(std::move(fd));
}

bool WebLink::adopt(Fd fd, HeardRequest heard, const Address& client) {
  tls_ = std::move(heard.tls);
  if (tls_) tls_->set_gate(*this);
  client_ = client;
  head_ = std::move(heard.head);
  early_ = std::move(heard.early);
  stage_ = Stage::kAsked;
  arrived_ = true;
  if (!tcp_.adopt(std::move(fd))) return false;
  tcp_.call_again();
  return true;
}

std::pair<Fd, HeardRequest> WebLink::release() {
  assert(stage_ == Stage::kAsked && waiting() == 0);
  stage_ = Stage::kOver;
  HeardRequest heard{std::move(tls_), std::move(head_), std::exchange(early_, {})};
  return {tcp_.release(), std::move(heard)};
}

void WebLink::answer(const HttpHead& request, const std::string* subprotocol) {
  assert(stage_ == Stage::kAsked);
  write_upgrade_answer(request, subprotocol, out_);
  stage_ = Stage::kMessages;
  head_.reset();
  flush();
}

void WebLink::hear_early() {
  const Buffer early = std::exchange(early_, {});
  if (early.empty()) return;
  hear_messages(early);
  if (tcp_.is_open()) user_.messages_done(*this);
}

void WebLink::decline(unsigned status, std::string_view why) {
  if (shutting_down_ || upgraded() || stage_ == Stage::kOver) return;
  if (!tls_ || tls_->open()) write_answer(status, why, out_);
  stage_ = Stage::kOver;
  shut_down();
}

void WebLink::serve(const Asset& file, bool keep) {
  assert(stage_ == Stage::kAsked);
  static const BytesOwner kProgram = std::make_shared<char>();  // files are parts of the program, and stay
  serve_body({as_bytes(write_file_head(request(), file, keep, out_)), kProgram}, keep);
}

void WebLink::serve(const HttpReply& reply, bool keep) {
  assert(stage_ == Stage::kAsked);
  write_reply_head(reply, keep, out_);
  serve_body({has_body(request(), reply) ? as_bytes(*reply.body) : Bytes(), reply.body}, keep);
}

void WebLink::serve_body(const SharedBytes& body, bool keep) {
  flush();
  pass_shared(body);
  loop_.outbox().flush();  // so that waiting() has what the client has not taken yet
  stage_ = keep ? Stage::kHead : Stage::kOver;
  if (!keep) return shut_down();
  heard_part_ = false;
  unheard_ = std::exchange(early_, {});
  if (!unheard_.empty()) tcp_.call_again();
}

// -- Client -----------------------------------------------------------------------------------------------------------

int WebLink::connect(Fd fd, const Address& to, const TlsContext* tls, const std::string& tls_name,
                     UpgradeRequest request, Bytes first) {
  tls_.reset();
  use_tls(tls, tls_name);
  head_ = std::make_unique<HttpReader>(HttpReader::Of::kResponse);
  request_ = std::move(request);
  asked_ = told_end_ = false;
  return tcp_.connect(std::move(fd), to, first);
}

void WebLink::connected(Tcp&) {
  if (!tls_) return ask();
  wire_.clear();
  tls_->start(wire_);
  tcp_.send(wire::Lane::kStream, wire_);
}

void WebLink::ask() {
  asked_ = true;
  write_upgrade_request(*request_, out_);
  flush();
}

// -- Hearing ----------------------------------------------------------------------------------------------------------

void WebLink::received(Tcp&, wire::Lane, Bytes bytes) {
  if (stage_ == Stage::kOver && (after_end_ += bytes.size()) > kMostAfterEnd) {
    tcp_.hang_up();
    return user_.broken(*this, ECONNRESET);
  }
  tls_ ? decrypt(bytes) : hear(bytes);
  if (tcp_.is_open()) user_.messages_done(*this);
  if (tcp_.is_open()) hear_end();
}

void WebLink::call_again() {
  behind_ = true;
  tcp_.call_again();
}

void WebLink::go_on(Tcp&) {
  if (std::exchange(arrived_, false) && !shutting_down_) user_.asked(*this, request());
  if (std::exchange(behind_, false)) user_.go_on(*this);
  // A WebSocket may have kept messages of what was read.
  if (!behind_ && tcp_.is_open() && (stage_ == Stage::kMessages || !unheard_.empty()))
    tcp_.is_reading() ? hear(std::exchange(unheard_, {})) : tcp_.call_again();
  if (tcp_.is_open()) user_.messages_done(*this);
  if (tcp_.is_open()) hear_end();
}

/// The peer has ended TLS. Its user is told as of the end of TCP: after all that came before, and while the link is
/// read.
void WebLink::hear_end() {
  if (told_end_ || !tls_ || !tls_->peer_has_finished()) return;
  const bool more_waits = behind_ || messages_.paused() || !unheard_.empty();
  more_waits || !tcp_.is_reading() ? tcp_.call_again() : tell_end();
}

void WebLink::tell_end() {
  if (!std::exchange(told_end_, true)) user_.ended(*this);
}

/// A program that speaks HTTP without TLS is answered without TLS, so that it can show why.
void WebLink::hear_without_tls() {
  tls_.reset();
  protocol_error(Fault{"a plain HTTP request was sent to a TLS port; use https:// or wss://", "tls"});
}

void WebLink::decrypt(Bytes bytes) {
  const bool begins = role_ == WebSocket::Role::kServer && !tls_->heard() && !bytes.empty();
  if (begins && bytes[0] >= 'A' && bytes[0] <= 'Z') return hear_without_tls();
  wire_.clear();
  plain_.clear();
  const bool well = tls_->feed(bytes, plain_, wire_);
  if (!wire_.empty() && !shutting_down_) tcp_.send(wire::Lane::kStream, wire_);
  if (role_ == WebSocket::Role::kClient && tls_->open() && !asked_) ask();
  if (tls_->open()) add_overhead(static_cast<std::int64_t>(bytes.size()) - static_cast<std::int64_t>(plain_.size()));
  if (!plain_.empty() && tcp_.is_open()) hear(plain_);
  clear_keeping(plain_, kKeptLinkRoom);
  if (!well && tcp_.is_open() && stage_ != Stage::kOver) protocol_error(Fault{tls_->what(), "tls"}, tls_->why());
}

bool WebLink::may_use_key() {
  if (shutting_down_ || tcp_.peer_has_ended()) return false;  // nobody waits for it
  if (!key_use_) key_use_ = loop_.handshakes().reserve(client_, loop_.now());
  if (*key_use_ <= loop_.now()) {
    key_alarm_.reset();
    loop_.handshakes().count();
    return true;
  }
  if (!key_alarm_) {
    key_alarm_ = std::make_unique<Alarm>(loop_, static_cast<Alarm::User&>(*this));
    key_alarm_->set_priority(Priority::kNewcomer);
    key_alarm_->set_party(party_);
    key_alarm_->set(*key_use_ * kNanosPerMilli);
  }
  return false;
}

/// The link ends: if it was still to use the key, others of its client's address may.
void WebLink::give_key_back() {
  if (key_use_) loop_.handshakes().give_back(client_, *key_use_, loop_.now());
  key_use_.reset();
  key_alarm_.reset();
}

void WebLink::rang() {
  if (tcp_.is_open()) received(tcp_, wire::Lane::kStream, {});
}

void WebLink::hear(Bytes bytes) {
  switch (stage_) {
    case Stage::kHead:
      return hear_head(bytes);
    case Stage::kAsked:
      return append(early_, bytes);
    case Stage::kMessages:
      return hear_messages(bytes);
    case Stage::kOver:
      return;
  }
}

void WebLink::hear_head(Bytes bytes) {
  if (role_ == WebSocket::Role::kServer && head_->complete())
    head_ = std::make_unique<HttpReader>(HttpReader::Of::kRequest);
  heard_part_ = heard_part_ || !bytes.empty();
  const auto taken = head_->feed(bytes);
  if (!taken) return protocol_error(taken.error());
  if (!head_->complete()) return;
  const Bytes rest = bytes.subspan(*taken);
  role_ == WebSocket::Role::kServer ? hear_request(rest) : hear_response(rest);
}

void WebLink::hear_request(Bytes rest) {
  stage_ = Stage::kAsked;
  append(early_, rest);
  user_.asked(*this, head_->head());
}

void WebLink::hear_response(Bytes rest) {
  const HttpHead& response = head_->head();
  if (response.status != 101) {
    constexpr std::size_t kMost = 256;
    const std::string* const type = response.find("Content-Type");
    const bool is_plain = type != nullptr && type->starts_with("text/plain");
    stage_ = Stage::kOver;
    return user_.declined(*this, response, is_plain ? whole_characters(as_text(rest), kMost) : std::string_view());
  }
  if (const char* why = objection_to_upgrade(response, request_->key)) return protocol_error(Fault{why, "http"});
  stage_ = Stage::kMessages;
  user_.upgraded(*this, response);
  if (!rest.empty() && tcp_.is_open()) hear_messages(rest);
}

void WebLink::hear_messages(Bytes bytes) {
  const auto violation = messages_.feed(bytes);
  if (messages_.paused()) {
    const Bytes rest = messages_.rest();
    unheard_.assign(rest.begin(), rest.end());
    tcp_.call_again();
  }
  if (!violation || !tcp_.is_open()) return;
  if (!sent_close_) send(CloseFrame{violation->code, violation->what});
  protocol_error(Fault{violation->what, "websocket"});
}

void WebLink::message(Opcode opcode, Bytes payload) {
  user_.received(*this, opcode, payload);
  wait_if_due();
}

void WebLink::frame_began(std::size_t head, bool message_goes_on) {
  add_overhead(static_cast<std::int64_t>(head));
  if (message_goes_on || !tcp_.is_open()) wait_if_due();
}

void WebLink::wait_if_due() {
  if (!tcp_.is_open()) return messages_.stop();
  if (behind_ || !tcp_.is_reading() || loop_.time_is_up()) messages_.pause();
}

void WebLink::add_overhead(std::int64_t bytes) {
  overhead_ += bytes;
  if (overhead_ > kOverheadLump) user_.received_overhead(*this, static_cast<std::size_t>(std::exchange(overhead_, 0)));
}

void WebLink::close_frame(const CloseFrame& close_frame) { user_.close_frame(*this, close_frame); }

void WebLink::protocol_error(const Fault& fault, const std::string& detail) {
  const bool in_head = stage_ == Stage::kHead && role_ == WebSocket::Role::kServer && (!tls_ || tls_->open());
  if (in_head) write_answer(status_of(fault), fault.what, out_);
  stage_ = Stage::kOver;
  messages_.stop();
  flush();
  user_.protocol_error(*this, fault, detail);
}

// -- Sending ----------------------------------------------------------------------------------------------------------

void WebLink::send(Opcode opcode, Bytes payload) {
  assert(!sent_close_);
  if (!shutting_down_ && tcp_.is_open()) messages_.write(opcode, payload, out_);
}

void WebLink::send(const CloseFrame& close_frame) {
  if (sent_close_ || shutting_down_ || !tcp_.is_open()) return;
  sent_close_ = true;
  messages_.write(close_frame, out_);
}

void WebLink::flush() {
  if (out_.empty() || shutting_down_ || !tcp_.is_open()) return;
  if (tls_) {
    later_.add(out_);
    encrypt_some();
  } else {
    tcp_.send(wire::Lane::kStream, out_);
  }
  clear_keeping(out_, kKeptLinkRoom);
}

void WebLink::pass_shared(const SharedBytes& bytes) {
  if (bytes.bytes.empty() || shutting_down_ || !tcp_.is_open()) return;
  if (!tls_) return tcp_.lend(bytes);
  later_.add(bytes);
  encrypt_some();
}

void WebLink::send_shared(Opcode opcode, const SharedBytes& payload) {
  assert(!sent_close_);
  if (payload.owner == nullptr || payload.bytes.size() < WaitingBytes::kWorthSharing)
    return send(opcode, payload.bytes);
  if (shutting_down_ || !tcp_.is_open()) return;
  messages_.write_header(opcode, payload.bytes.size(), out_);
  flush();
  pass_shared(payload);
}

void WebLink::encrypt_some() {
  while (!later_.empty() && tcp_.is_open() && tcp_.waiting() < kMostAhead) {
    const Bytes all = later_.first();
    const Bytes next = all.first(std::min(all.size(), kMostAhead));
    wire_.clear();
    tls_->write(next, wire_);
    tcp_.send(wire::Lane::kStream, wire_);
    later_.drop(next.size());
  }
  clear_keeping(wire_, kKeptLinkRoom);
  if (shutting_down_ && later_.empty()) finish_sending();
}

void WebLink::wrote(Tcp&) {
  encrypt_some();
  user_.wrote(*this);
}

void WebLink::reset() {
  give_key_back();
  later_ = {};
  tcp_.reset();
}

void WebLink::hang_up() {
  give_key_back();
  later_ = {};
  tcp_.hang_up();
}

void WebLink::shut_down() {
  if (shutting_down_ || !tcp_.is_open()) return;
  give_key_back();
  flush();
  shutting_down_ = true;
  if (later_.empty()) finish_sending();
}

/// Everything was handed to TCP. REQUIRES: called once.
void WebLink::finish_sending() {
  if (std::exchange(finished_, true)) return;
  if (tls_ && tls_->open()) {
    wire_.clear();
    tls_->finish(wire_);
    if (!wire_.empty()) tcp_.send(wire::Lane::kStream, wire_);
  }
  tcp_.shut_down();
}

}  // namespace entente::net
