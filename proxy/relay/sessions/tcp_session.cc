#include "proxy/relay/sessions/tcp_session.h"

#include "proxy/base/steady_wall.h"
#include "proxy/net/socket.h"
#include "proxy/net/web/http.h"

namespace entente::relay {

using wire::Lane;
using wire::Way;

namespace {

// Milliseconds between a server's close and our goodbye to the client. A server often closes because its client said
// goodbye, and the client's own close is on its way. That client gets only what the server sent.
constexpr std::uint32_t kParting = 250;
constexpr std::size_t kStrictRead = 8 * 1024;  // bytes: some thousand messages, each of which is decoded
constexpr std::uint32_t kLongestKept = 2'000;  // milliseconds; the rest of a frame comes sooner, even by retransmission

std::unique_ptr<wire::Cutter> client_cutter(const Route& route) {
  return route.game.cutter(Way::kToServer, route.dialect);
}

/// Cuts so that frames are counted, that whole frames reach clients that need them, and that we can say something
/// between two frames.
std::unique_ptr<wire::Cutter> server_cutter(const Route& route) {
  return route.game.cutter(Way::kToClient, route.dialect);
}

}  // namespace

TcpSession::TcpSession(WorkerRoute& worker_route, Owner& owner, const AcceptedClient& newcomer)
    : TwoLinkSession(worker_route, owner, newcomer),
      route_(worker_route.route),
      to_server_(client_cutter(route_), route_.game.largest_frame()),
      to_client_(server_cutter(route_), route_.game.largest_frame()),
      asks_(!route_.game.greeting(route_.dialect, 0).empty()),
      sure_(newcomer.server == nullptr || !route_.detects_in_session(*newcomer.server)) {
  dial_.set_asks(asks_);
  if (worker_route.strict_filter) {
    to_server_.watch(*worker_route.strict_filter, route_.dialect);
    client_.link.set_largest_read(kStrictRead);
  }
  if (route_.with_datagrams()) datagrams_.emplace(worker_route, info_, limits_, address_rates_);
}

// -- Coming up --------------------------------------------------------------------------------------------------------

void TcpSession::start(net::Fd client) {
  count_begun();
  info_.listener = net::local_address(client.get());
  if (!client_.link.adopt(std::move(client))) return end(Reason::kOutOfDescriptors);
  client_.link.set_reading(true);
  // If the client speaks first, we connect only after its greeting, so that no server is bothered by other programs.
  greeted_ = route_.game.client_greeting_size(route_.dialect) == 0;
  if (greeted_) reach();
}

void TcpSession::reach() { asks_&& sleeps() ? stand_in() : begin_dial(); }

void TcpSession::dial_failed(Dial&, Reason why) { asks_&& sleeps() ? stand_in() : end(why); }

int TcpSession::dial(Dial&, const net::Address& server, Outgoing outgoing) {
  info_.server = server;
  server_.link.set_party(worker_route_->loop.server_party(server, info_.client));
  sure_ = !route_.detects_in_session(outgoing.server);
  if (datagrams_ && !datagrams_->open(std::move(outgoing.sockets.udp), server)) return errno;
  return server_.link.connect(std::move(outgoing.sockets.tcp), server, outgoing.first);
}

void TcpSession::connected(net::Tcp&) {
  dial_.succeeded();
  last_passed_ = server_.last_progress = now();
  if (sure_)
    open();
  else
    server_.link.set_reading(true);
}

void TcpSession::find_dialect(Bytes said) {
  append(unsure_, said);
  const wire::Detected found = route_.game.detect(unsure_);
  if (found.state == wire::Detected::State::kNeedMore && unsure_.size() <= limits_.held_bytes) return;
  if (found.state != wire::Detected::State::kFound) return end(Reason::kDialectUnknown);
  if (found.dialect != route_.dialect) {
    worker_route_->log_wrong_dialect(info_.server.text(), found.dialect);
    return end(Reason::kDialectMismatch);
  }
  sure_ = true;
  open();
  server_said(std::exchange(unsure_, {}));
}

/// From here on, data passes both ways.
void TcpSession::open() {
  open_ = true;
  if (!http_) open_tap(steady_wall_now());
  tell_opened();
  enter_lab();
  if (!early_.empty()) relay(Way::kToServer, FrameRun{early_, 0, early_frames_});
  free_memory(early_);
  client_.resume(kEarly);
  if (client_.ended && !link_ends_later(client_.link)) server_.link.shut_down();
  if (!server_.pauses.any()) server_.link.set_reading(true);
}

// -- In the place of a server that sleeps -----------------------------------------------------------------------------

/// Whether the server is down, and is to be started for a player.
bool TcpSession::sleeps() const {
  const Upstreams& upstreams = route_.upstreams;
  return upstreams.holds() && !upstreams.rules().launch.start.empty() && !upstreams.any_up(now());
}

/// Greets the client, so that it shows what it wants. The server will give the lowest free number to a player, so that
/// is what we promise. What the client has asked already is answered.
void TcpSession::stand_in() {
  number_ = worker_route_->route.promised.take();
  dial_.leave_server();
  stands_in_ = stood_in_ = true;
  promised_ = route_.game.greeting(route_.dialect, number_ ? *number_ : PlayerNumbers::kMost);
  client_.link.send(Lane::kStream, promised_);
  const std::size_t greeting = std::min(early_.size(), route_.game.client_greeting_size(route_.dialect));
  const Buffer asked(early_.begin() + static_cast<std::ptrdiff_t>(greeting), early_.end());
  early_.resize(greeting);
  early_frames_ = greeting != 0 ? 1 : 0;
  answer(asked);
}

void TcpSession::answer(Bytes asked) {
  if (!route_.game.only_asks(asked, route_.dialect)) return;
  client_.will_wait(now());
  client_.link.send(Lane::kStream, route_.game.answer_to_asker(asked, route_.dialect));
  if (client_.link.waiting() > limits_.high_water) end(Reason::kClientStalled);
}

/// Whether these frames show that the client is a player.
bool TcpSession::turns_out_to_join(const FrameRun& frames) {
  if (!asks_ || route_.game.only_asks(frames.bytes, route_.dialect)) return false;
  asks_ = false;
  dial_.set_asks(false);
  return true;
}

/// Connects to the server, after the clients that were promised lower numbers.
void TcpSession::join() {
  if (number_) number_.set_joins(true);
  dial_.set_behind(number_ && !number_.is_next());
  begin_dial();
}

/// The client has had a greeting. It gets what follows the server's own, which must be the same.
void TcpSession::greeted_again(const FrameRun& frames) {
  const Bytes greeting = frames.bytes.first(frames.first);
  if (frames.count == 0 || !same(greeting, std::exchange(promised_, {})))
    return end(Reason::kServerDeclined, Fault{""},
               route_.game.greeted_as(greeting) ? "the server has just started; connect again" : "");
  if (number_) number_.set_joins(false);
  if (worker_route_->tap)
    worker_route_->tap->bytes(info_.link, Way::kToClient, Lane::kStream, greeting, steady_wall_now());
  const FrameRun rest{frames.bytes.subspan(frames.first), 0, frames.count - 1, 0, frames.last};
  if (rest.count != 0) pass_to_client(rest);
}

// -- Passing on -------------------------------------------------------------------------------------------------------

void TcpSession::received(net::Tcp& link, Lane, Bytes bytes) {
  last_passed_ = now();
  if (is_client(link))
    client_unserved_ = link.unserved_millis();
  else
    server_spoke_ = last_passed_;
  if (ending_) {
    if (peer_link(link).talks_on(bytes.size(), kMostUnheard)) settle();  // bytes may still wait for the other
  } else if (is_client(link)) {
    client_said(bytes);
  } else {
    server_said(bytes);
  }
}

/// A client that begins with an HTTP request is passed on as it is: bzfs serves its worlds so (its plugin fastmap).
void TcpSession::pass_http(Bytes first) {
  const std::string_view text = as_text(first);
  const bool asks = text.starts_with("GET ") || text.starts_with("HEAD ") || text.starts_with("POST ");
  if (!asks || open_ || !early_.empty() || !to_server_.kept().empty() || !route_.game.answers_http(route_.dialect))
    return;
  const bool nobody = sleeps();
  http_ = sure_ = entered_ = told_goodbye_ = true;
  asks_ = false;  // for its dial, it is still one who only asks
  to_server_.lose_framing();
  to_client_.lose_framing();
  if (nobody) end(Reason::kServerUnreachable);  // no server is started for it
}

void TcpSession::client_said(Bytes bytes) {
  if (bytes_from_client_ == 0) pass_http(bytes);
  if (ending_) return;
  std::size_t frames = 0;
  const auto fault = to_server_.feed(bytes, [&](const FrameRun& whole) {
    frames = whole.count;
    to_server(whole);
  });
  if (fault) return end(Reason::kBadFrame, *fault);
  if (ending_) return;
  if (open_ && !plays_) play();
  if (ending_) return;
  charge(bytes.size(), frames);
  if (!greeted_ && to_server_.passed() >= route_.game.client_greeting_size(route_.dialect)) {
    greeted_ = true;
    reach();
  }
}

void TcpSession::to_server(const FrameRun& frames) {
  bytes_from_client_ = to_server_.passed();
  const bool joins = turns_out_to_join(frames);
  if (open_) return relay(Way::kToServer, frames);
  if (stands_in_ && !joins) return answer(frames.bytes);
  append(early_, frames.bytes);
  early_frames_ += frames.count;
  if (early_.size() > limits_.held_bytes) client_.pause(kEarly);
  if (!std::exchange(stands_in_, false)) return;
  if (const auto why = admit_as_client()) return end(*why);  // even a health check may join
  join();
}

void TcpSession::server_said(Bytes bytes) {
  if (!sure_) return find_dialect(bytes);
  std::size_t frames = 0;
  const auto fault = to_client_.feed(bytes, [&](const FrameRun& whole) {
    frames = whole.count;
    to_client(whole);
  });
  if (fault) go_unframed(*fault);
  charge_server(bytes.size(), frames);
}

void TcpSession::to_client(const FrameRun& frames) {
  bytes_from_server_ = to_client_.passed();
  note_greeting(frames);
  if (!entered_) note_admission(frames);
  promised_.empty() ? pass_to_client(frames) : greeted_again(frames);
}

/// These frames with the relay's place instead of that of the server's own HTTP, before its player is in; empty: they
/// do not tell it.
Buffer TcpSession::with_our_http(const FrameRun& frames) const {
  if (entered_ || frames.count == 0 || frames.ahead != 0 || !route_.game.answers_http(route_.dialect)) return {};
  return route_.game.with_http_at(
      frames.bytes, route_.dialect,
      {.server_port = info_.server.port(), .host = route_.options->public_host, .port = route_.port_for_players()});
}

void TcpSession::pass_to_client(const FrameRun& frames) {
  if (const Buffer changed = with_our_http(frames); !changed.empty())
    return relay(Way::kToClient, FrameRun{changed, 0, frames.count});
  relay(Way::kToClient, frames);
  const Bytes goodbye = route_.game.goodbye(route_.dialect);
  told_goodbye_ = frames.count && !goodbye.empty() && same(frames.bytes.last(frames.last), goodbye);
}

/// The server's first frame may contain the player's id. The link table must know it before the client can send a link
/// request.
void TcpSession::note_greeting(const FrameRun& frames) {
  if (!datagrams_ || named_ || frames.count == 0) return;
  named_ = true;
  if (http_) return;
  if (const auto player = route_.game.greeted_as(frames.bytes.first(frames.first)))
    owner_.player_id_given(*this, *player);
}

/// Before the server lets the player in, it may report a ban of the player.
void TcpSession::note_admission(const FrameRun& frames) {
  const wire::AdmissionState state =
      frames.count != 0 ? route_.game.admission(frames.bytes, route_.dialect) : wire::AdmissionState::kUndecided;
  entered_ = state != wire::AdmissionState::kUndecided;
  plays_there_ = state == wire::AdmissionState::kIn;
  if (state == wire::AdmissionState::kBanned)
    worker_route_->server_banned(dial_.server_name(), info_.client,
                                 route_.game.words_of_ban(frames.bytes, route_.dialect));
}

void TcpSession::relay(Way way, const FrameRun& frames) {
  if (!lab_) return pass_on(way, frames.fresh(), frames.count);
  lab_->put_frames(way, frames.bytes, frames.ahead, frames.count);
  note_lab(way);
}

void TcpSession::pass_on(Way way, Bytes bytes, std::size_t frames) {
  const bool up = way == Way::kToServer;
  PeerLink &from = up ? client_ : server_, &to = up ? server_ : client_;
  if (worker_route_->tap && !http_) worker_route_->tap->bytes(info_.link, way, Lane::kStream, bytes, steady_wall_now());
  to.will_wait(now());
  to.link.send(Lane::kStream, bytes);
  auto& traffic = up ? worker_route_->counters.to_server : worker_route_->counters.to_client;
  traffic.bytes.add(bytes.size());
  traffic.frames.add(frames);
  note_waiting(from, to);
}

// -- The lab ----------------------------------------------------------------------------------------------------------

void TcpSession::lab_changed() {
  RelaySession::lab_changed();
  if (lab_ && datagrams_) datagrams_->follow(worker_route_->lab, *lab_);
}

void TcpSession::make_lab() {
  RelaySession::make_lab(LabLine::Of::kStream);
  auto to_server = client_cutter(route_), to_client = server_cutter(route_);
  // What waits for the server to be there has not passed yet.
  if (to_server && early_.empty() && to_server_.passed() != 0) to_server->skip_greeting();
  if (to_client && (to_client_.passed() != 0 || stood_in_)) to_client->skip_greeting();
  lab_->cut_with(std::move(to_server), std::move(to_client));
}

void TcpSession::pass_what_waits() {
  TwoLinkSession::pass_what_waits();
  if (datagrams_) datagrams_->pass_what_waits();
}

void TcpSession::lab_passes(LabLine& line, const LabUnit& unit) {
  if (ending_) return;
  if (!http_) tell_lab(unit);
  Session::inserting(unit.inserted);
  pass_on(line.way(), unit.bytes, unit.tag);
  Session::inserting(false);
}

void TcpSession::lab_keeps(LabLine& line, Bytes unit, std::uint32_t, bool altered) {
  if (!ending_ && !http_) tell_kept(line.way(), unit, altered);
}

void TcpSession::wrote(net::Tcp& link) {
  const bool was_read = !server_.pauses.any();
  TwoLinkSession::wrote(link);
  note_server_is_read(was_read);
}

void TcpSession::lab_has_room(LabLine& line) {
  const bool was_read = !server_.pauses.any();
  TwoLinkSession::lab_has_room(line);
  note_server_is_read(was_read);
}

void TcpSession::resume_server(Pause why) {
  const bool was_read = !server_.pauses.any();
  TwoLinkSession::resume_server(why);
  note_server_is_read(was_read);
}

/// What the server sent while it was not read is read only now.
void TcpSession::note_server_is_read(bool was_read) {
  if (!was_read && !server_.pauses.any()) server_spoke_ = now();
}

/// We cannot follow the server's framing: its bytes pass as they come, and no goodbye can be placed among them.
void TcpSession::go_unframed(const Fault& fault) {
  worker_route_->counters.unframed.add();
  worker_route_->log_warning(LogKind::kUnframed,
                             "server " + info_.server.text() + " sent bytes that are not a " +
                                 std::string(route_.game.name()) + " " + std::string(route_.dialect_name()) +
                                 " frame (" + fault.what + " in " + fault.field +
                                 "): its bytes are passed on as they come",
                             about());
  to_client(FrameRun{to_client_.take_kept()});
  to_client_.lose_framing();
  to_client_.drop_kept();
}

// -- Going down -------------------------------------------------------------------------------------------------------

void TcpSession::ended(net::Tcp& link) {
  if (!ending_) pass_rest(is_client(link) ? Way::kToServer : Way::kToClient);
  if (link_ends_later(link)) return;
  peer_link(link).ended = true;
  if (ending_) return settle();
  if (!first_) first_ = is_client(link) ? Reason::kClientLeft : Reason::kServerLeft;
  is_client(link) ? client_ended() : server_ended();
}

void TcpSession::client_ended() {
  if (server_.ended || !greeted_ || stands_in_ || (!open_ && early_.empty()) || dial_.holding()) return end(*first_);
  if (open_) server_.link.shut_down();
}

void TcpSession::server_ended() {
  if (client_.ended || !open_ || is_unanswered()) return end(*first_);
  if (owes_goodbye())
    part_at_ = now() + kParting;
  else
    leave_client();
}

/// The client gets no more, also if the session ends for another reason before the client has left.
void TcpSession::leave_client() {
  told_goodbye_ = true;
  client_.link.shut_down();
}

/// Passes on the beginning of a frame whose end will never come. A peer that needs whole frames, or a goodbye after
/// them, does not get it.
void TcpSession::pass_rest(Way way) {
  Framer& framer = way == Way::kToServer ? to_server_ : to_client_;
  const bool whole = route_.game.requires_one_write(way, wire::Stage::kPlay) ||
                     (way == Way::kToServer && route_.options->strict) ||
                     (way == Way::kToClient && !route_.game.goodbye(route_.dialect).empty());
  if (whole || !open_ || framer.kept().empty()) return;
  way == Way::kToServer ? to_server(FrameRun{framer.take_kept()}) : to_client(FrameRun{framer.take_kept()});
}

bool TcpSession::may_speak() const {
  const bool hears = !client_.ended || reason() == Reason::kHalfClosed;  // a client that only sends no more
  return hears && !told_goodbye_ && to_client_.at_frame_boundary();
}

bool TcpSession::owes_goodbye() const { return !route_.game.goodbye(route_.dialect).empty() && may_speak(); }

/// Tells the client why. A client whose server closed the connection was told by the server, unless its game needs a
/// goodbye.
void TcpSession::say_goodbye(Reason why) {
  if (!may_speak() || (why == Reason::kServerLeft && !owes_goodbye())) return;
  told_goodbye_ = true;
  for (const Buffer& frame : last_words(stage(), why)) client_.link.send(Lane::kStream, frame);
}

wire::ClientStage TcpSession::stage() const {
  if (bytes_from_server_ == 0 && !stood_in_) return wire::ClientStage::kNew;
  return plays_there_ ? wire::ClientStage::kPlaying : wire::ClientStage::kJoining;
}

/// An HTTP request to which the server has said nothing.
bool TcpSession::is_unanswered() const { return http_ && bytes_from_server_ == 0; }

void TcpSession::decline_http() {
  Buffer answer;
  net::write_answer(telling(reason()).http, words(reason()), answer);
  client_.link.send(Lane::kStream, answer);
}

void TcpSession::shut_down() {
  if (datagrams_) datagrams_->close();
  if (client_.link.is_open()) say_goodbye(reason());
  if (is_unanswered() && !words(reason()).empty()) decline_http();
  TwoLinkSession::shut_down();
}

// -- In time ----------------------------------------------------------------------------------------------------------

void TcpSession::datagram(const net::Address& from, Bytes datagram) {
  if (!open_ || ending_) return worker_route_->dropped(Drop::kNotLinked);
  datagrams_->from_client(from, datagram);
}

bool TcpSession::on_tick(Millis now) {
  if (part_at_ && now >= part_at_) {
    part_at_ = 0;
    say_goodbye(Reason::kServerLeft);
    leave_client();
  }
  if (number_) dial_.set_behind(!number_.is_next());
  // If the rest of a frame is late, its beginning is passed on alone: everything that the server sends is passed on.
  const bool heard = open_ && !server_.ended && !server_.pauses.any() && promised_.empty();
  if (heard && may_pass_parts() && !to_client_.kept().empty() && late(now, server_spoke_, kLongestKept))
    to_client(FrameRun{to_client_.take_kept()});
  return true;
}

/// A lab that tells messages apart needs whole ones.
bool TcpSession::may_pass_parts() const {
  const RunningLab& lab = worker_route_->lab;
  return !lab_ || !lab || !lab.plan->reads();
}

std::optional<Reason> TcpSession::overdue(Millis now) const {
  const Millis last_passed = datagrams_ ? std::max(last_passed_, datagrams_->last_passed()) : last_passed_;
  if (!greeted_ && late(now, began_, limits_.greet_ms, client_.link)) return Reason::kGreetTimeout;
  if (stands_in_ && late(now, Wait{last_passed_, client_unserved_}, limits_.greet_ms, client_.link))
    return Reason::kGreetTimeout;
  if (const auto reason = stalled(now)) return reason;
  if (first_ && late(now, last_passed, limits_.half_closed_ms)) return Reason::kHalfClosed;
  if (late(now, last_passed, limits_.idle_ms)) return Reason::kIdle;
  return std::nullopt;
}

}  // namespace entente::relay
