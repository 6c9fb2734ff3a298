#include "proxy/program/reproduce/rerun.h"

#include <algorithm>
#include <utility>

#include "adapters/native/native.h"
#include "adapters/registry.h"
#include "proxy/program/config/endpoint.h"

namespace entente {
namespace {

constexpr core::Micros kLongestRest = 366ULL * 24 * 3600 * core::kSecond;

/// A front or a back of a recording: its game, and the options by which it is made.
struct MadeFace {
  const wire::Game* game;
  core::FaceOptions options;
};

Outcome<Done> check_settings(const trace::Face& face, std::span<const core::Setting> known, Settings& settings) {
  for (const auto& [name, value] : face.settings()) {
    const auto at = std::find_if(known.begin(), known.end(), [&](const auto& one) { return one.name == name; });
    if (at == known.end()) return Error{face.game() + " has no setting '" + name + "'"};
    if (const auto wrong = objection(*at, value)) return Error{"the setting " + name + "=" + value + " " + wrong->text};
    settings[name] = value;
  }
  return Done{};
}

Outcome<MadeFace> made_face(const trace::Face& face, bool front) {
  const wire::Game* game = find_game(face.game());
  if (game == nullptr) return Error{"the game '" + face.game() + "' is not supported"};
  const auto dialect = wire::find_dialect(*game, face.dialect());
  if (!dialect) return Error{face.game() + " has no dialect '" + face.dialect() + "'"};
  MadeFace made{game, {*dialect, {}}};
  const core::Faces& faces = faces_of(*game);
  if (front ? !faces.has_front(*dialect) : !faces.has_back(*dialect))
    return Error{face.game() + " " + face.dialect() + " has no " + (front ? "front" : "back")};
  const auto checked = check_settings(face, front ? faces.front_settings : faces.back_settings, made.options.settings);
  if (!checked) return checked.error();
  return made;
}

core::Peer recorded_peer(const trace::Peer& peer) { return {peer.address(), peer.connect_data(), peer.path()}; }

core::RoomOptions room_options_of(const trace::RoomBegan& began) {
  core::RoomOptions options;
  options.seed = began.seed();
  options.chat.commands = began.commands();
  options.chat.most_bytes = began.most_bytes();
  options.chat.burst = began.burst();
  options.chat.every = began.every_us();
  return options;
}

Error damaged_calls() { return Error{"what its room was asked is damaged"}; }

const char* side_name(bool server) { return server ? "the server" : "the client"; }

std::string closing_text(const trace::Closing& closing) {
  std::string text = "closes the link: " + closing.why();
  return closing.code() != 0 ? text + " (" + std::to_string(closing.code()) + ")" : text;
}

bool belongs_to_call(const trace::Detail& detail) {
  return detail.kind_case() == trace::Detail::kAnswered || detail.kind_case() == trace::Detail::kClosed;
}

}  // namespace

struct Rerun::Call {
  trace::Call kind = trace::DETAIL;
  const trace::Detail* detail = nullptr;  // if it is one
  std::size_t waits[2] = {0, 0};          // for the server, for the client
  std::vector<bool> answers;
  std::vector<const trace::Closing*> closings;
};

Outcome<std::unique_ptr<Rerun>> Rerun::begin(const trace::Calls& calls, RecordedLinks& links) {
  const auto link = links.find(calls.link());
  if (link == links.end()) return Error{"the link is not in the file"};
  if (calls.number() != 1 || calls.details().empty() || !calls.details(0).has_began())
    return Error{"the session began before the file"};
  const trace::RoomBegan& began = calls.details(0).began();
  if (began.every_us() == 0 || began.wall() == 0) return damaged_calls();
  const auto front = made_face(began.front(), true);
  if (!front) return front.error();
  const auto back = made_face(began.back(), false);
  if (!back) return back.error();
  if (!link->second.game_dialect() || link->second.game_dialect()->game != front->game)
    return Error{"the link's game is not its front's"};
  return std::unique_ptr<Rerun>(new Rerun(link->second, links, began, faces_of(*front->game).front(front->options),
                                          faces_of(*back->game).back(back->options)));
}

Rerun::Rerun(RecordedLink& link, RecordedLinks& links, const trace::RoomBegan& began,
             std::unique_ptr<core::Front> front, std::unique_ptr<core::Back> back)
    : link_(link),
      links_(links),
      wall_(began.wall()),
      front_text_(began.front().game() + " " + began.front().dialect()),
      back_text_(began.back().game() + " " + began.back().dialect()),
      front_(std::move(front)),
      client_(link, wire::Way::kToClient),
      back_game_(find_game(began.back().game())),
      room_(*this, std::move(back), room_options_of(began)) {}

// -- What it is asked -------------------------------------------------------------------------------------------------

Outcome<Done> Rerun::take(const trace::Calls& calls) {
  const bool first = std::exchange(is_first_, false);
  if (!first && calls.number() != ++number_) return Error{"a part of what its room was asked is not recorded"};
  constexpr std::uint64_t kKinds = 16;
  int details = first ? 1 : 0;
  for (int i = first ? 1 : 0; i < calls.calls_size();) {
    Call call;
    const std::uint64_t pause = calls.calls(i) / kKinds;
    call.kind = static_cast<trace::Call>(calls.calls(i) % kKinds);
    if (pause > kLongestRest) return damaged_calls();
    if (call.kind == trace::DETAIL) {
      if (details >= calls.details_size()) return damaged_calls();
      call.detail = &calls.details(details++);
    }
    for (++i; i < calls.calls_size(); ++i) {
      const std::uint64_t number = calls.calls(i) / kKinds;
      const auto kind = static_cast<trace::Call>(calls.calls(i) % kKinds);
      if (kind == trace::SERVER_WAITS || kind == trace::CLIENT_WAITS) {
        call.waits[kind == trace::SERVER_WAITS ? 0 : 1] = static_cast<std::size_t>(number);
        continue;
      }
      if (kind != trace::DETAIL || details >= calls.details_size() || !belongs_to_call(calls.details(details))) break;
      const trace::Detail& detail = calls.details(details++);
      detail.has_closed() ? call.closings.push_back(&detail.closed()) : call.answers.push_back(detail.answered());
    }
    if (stop_ && wall() + pause * 1000 >= *stop_) return Done{};
    if (pause != 0)
      if (const auto settled = settle(wall() + 1); !settled) return settled;
    now_ += pause;
    if (auto done = this->call(call); !done) return done;
  }
  return Done{};
}

Outcome<Done> Rerun::call(const Call& call) {
  call_ = &call;
  ++calls_;
  answered_ = 0;
  waiting_ = {};
  closings_.clear();
  heard_.reset();
  Outcome<Done> done = Done{};
  switch (call.kind) {
    case trace::DETAIL:
      done = call_detail(*call.detail);
      break;
    case trace::TICK:
      asked_ = "a timer";
      room_.tick(now_);
      break;
    case trace::FROM_SERVER:
      done = feed(wire::Way::kToClient);
      break;
    case trace::FROM_CLIENT:
      done = feed(wire::Way::kToServer);
      break;
    default:
      done = damaged_calls();
  }
  call_ = nullptr;
  if (done) compare_closings(call);
  return done;
}

/// The room is given the next piece that came this way.
Outcome<Done> Rerun::feed(wire::Way way) {
  const bool from_server = way == wire::Way::kToClient;
  if (from_server && !server_) return Error{"the server's link is not in the file"};
  if (!from_server && seat_ == 0) return damaged_calls();
  RecordedLink& link = from_server ? server_->link() : link_;
  auto piece = link.next_piece(way);
  if (!piece || link.lacks(way) != 0)
    return Error{"frames from " + std::string(side_name(from_server)) + " (link " + std::to_string(link.id()) +
                 ") are not recorded"};
  fed_ += piece->frames;
  heard_ = std::move(piece->last);
  heard_way_ = way;
  heard_link_ = &link;
  room_.received(from_server ? core::kBackEnd : seat_, piece->lane, piece->bytes, now_);
  return Done{};
}

Outcome<Done> Rerun::call_detail(const trace::Detail& detail) {
  switch (detail.kind_case()) {
    case trace::Detail::kSeated:
      if (front_ == nullptr) return damaged_calls();
      asked_ = "the client's link came up";
      seat_ = room_.seat(std::move(front_), recorded_peer(detail.seated()), now_);
      return Done{};
    case trace::Detail::kServerUp:
      return server_up(detail.server_up());
    case trace::Detail::kServerSpeaks:
      return server_speaks(detail.server_speaks());
    case trace::Detail::kGone:
      if (!detail.gone().server() && seat_ == 0) return damaged_calls();
      asked_ = std::string(side_name(detail.gone().server())) + " left (" + detail.gone().why() + ")";
      room_.gone(detail.gone().server() ? core::kBackEnd : seat_, detail.gone().why(), now_, detail.gone().code());
      return Done{};
    case trace::Detail::kServerReplaced:
      return replace(detail.server_replaced());
    case trace::Detail::kKept:
      asked_ = "the client's link broke";
      room_.keep(seat_, now_);
      return Done{};
    case trace::Detail::kReturned:
      asked_ = "the client came back";
      room_.returned(seat_, recorded_peer(detail.returned()), now_);
      return Done{};
    case trace::Detail::kAnnounced:
      asked_ = "the operator's text '" + detail.announced() + "'";
      room_.announce(seat_, detail.announced(), now_);
      return Done{};
    case trace::Detail::kEnded:
      asked_ = "the session was ended (" + detail.ended() + ")";
      room_.end(detail.ended(), now_);
      return Done{};
    case trace::Detail::kFromArena:
      asked_ = "a word of the arena";
      room_.received(core::kBackEnd, Lane::kStream, as_bytes(detail.from_arena()), now_);
      return Done{};
    case trace::Detail::kMoves:
      moves_ = true;
      if (!stop_) stop_ = wall();
      return Done{};
    default:
      return damaged_calls();
  }
}

/// `up.link()` 0: an arena.
Outcome<Done> Rerun::server_up(const trace::ServerUp& up) {
  asked_ = "the server's link came up";
  if (std::exchange(server_opened_, true)) return damaged_calls();
  if (up.link() != 0) {
    const auto link = links_.find(up.link());
    const bool known = link != links_.end() && link->second.game_dialect();
    // A server whose dialect never became known has no link in the file.
    if (!known && !up.unknown())
      return Error{"link " + std::to_string(up.link()) + ", of its server, is not in the file"};
    if (known && link->second.game_dialect()->game != back_game_)
      return Error{"link " + std::to_string(up.link()) + " is not of its server's game"};
    if (known) server_.emplace(link->second, wire::Way::kToServer);
  }
  server_unknown_ = up.unknown();
  room_.back_opened(recorded_peer(up.peer()), now_);
  return Done{};
}

Outcome<Done> Rerun::server_speaks(const std::string& dialect) {
  asked_ = "the server showed its dialect";
  const auto known = wire::find_dialect(*back_game_, dialect);
  if (!std::exchange(server_unknown_, false)) return damaged_calls();
  if (!known) return Error{std::string(back_game_->name()) + " has no dialect '" + dialect + "'"};
  back_text_ = std::string(back_game_->name()) + " " + dialect;
  room_.back_speaks(*known, now_);
  return Done{};
}

Outcome<Done> Rerun::replace(const trace::ServerReplaced& replaced) {
  asked_ = "the server was lost (" + replaced.why() + ")";
  trace::Face native;
  native.set_game(std::string(native::game().name()));
  native.set_dialect(std::string(native::game().dialects()[0].name));
  const auto back = made_face(replaced.meanwhile() ? native : replaced.back(), false);
  if (!back) return back.error();
  if (!room_.outlives_server())
    return Error{"after " + asked_ + ", the room does not wait for the next server, as it did in the recording"};
  if (server_) {
    if (const auto settled = settle(wall() + 1); !settled) return settled;
    of_lost_servers_ += server_->frames();
    server_.reset();
  }
  if (!replaced.meanwhile()) back_game_ = back->game;
  server_opened_ = server_unknown_ = false;
  room_.replace_back(faces_of(*back->game).back(back->options), {replaced.why(), replaced.code(), replaced.meanwhile()},
                     now_);
  return Done{};
}

void Rerun::stop_at_last_frame() {
  WallTime last = link_.last_time();
  if (server_) last = std::max(last, server_->link().last_time());
  if (!stop_) stop_ = last;
}

void Rerun::finish(bool whole) {
  if (!whole || moves_) {  // the last call may have said more than the file has
    if (!stop_) stop_ = wall();
    (void)settle(*stop_);
    return;
  }
  (void)settle(UINT64_MAX);
}

// -- What it says -----------------------------------------------------------------------------------------------------

void Rerun::send(core::Id end, Lane lane, Bytes bytes) {
  const bool server = end == core::kBackEnd;
  if (server && server_unknown_) return;
  auto& waiting = waiting_[server ? 0 : 1];
  if (waiting) *waiting += bytes.size();
  if (!server) return client_.said(lane, bytes, wall());
  if (server_) server_->said(lane, bytes, wall());
}

std::size_t Rerun::waiting(core::Id end) const {
  const std::size_t side = end == core::kBackEnd ? 0 : 1;
  if (!waiting_[side]) waiting_[side] = call_ != nullptr ? call_->waits[side] : 0;
  return *waiting_[side];
}

void Rerun::close(core::Id end, std::string_view why, std::uint32_t code) {
  trace::Closing closing;
  closing.set_server(end == core::kBackEnd);
  closing.set_why(std::string(why));
  closing.set_code(code);
  closings_.push_back(std::move(closing));
}

bool Rerun::answer() {
  const std::size_t next = answered_++;
  return call_ != nullptr && next < call_->answers.size() && call_->answers[next];
}

void Rerun::told(const core::Fact& fact) {
  const auto* player = core::as<words::Player>(fact);
  if (player != nullptr && seat_ != 0 && player->id() == seat_) player_ = player->name();
}

// -- Differences ------------------------------------------------------------------------------------------------------

void Rerun::compare_closings(const Call& call) {
  const std::size_t all = std::max(call.closings.size(), closings_.size());
  for (std::size_t i = 0; i < all; ++i) {
    const trace::Closing* const was = i < call.closings.size() ? call.closings[i] : nullptr;
    const trace::Closing* const is = i < closings_.size() ? &closings_[i] : nullptr;
    if (was != nullptr && is != nullptr && was->SerializeAsString() == is->SerializeAsString()) continue;
    ++closed_differently_;
    const bool server = was != nullptr ? was->server() : is->server();
    differ({now_, "to " + std::string(side_name(server)), cause(), was != nullptr ? closing_text(*was) : "",
            is != nullptr ? closing_text(*is) : "", ""});
  }
}

/// Compares what was said before `time`. An error: the recording lacks what was said.
Outcome<Done> Rerun::settle(WallTime time) {
  for (Comparison* const compared : {&client_, server_ ? &*server_ : nullptr}) {
    if (compared == nullptr) continue;
    const bool server = compared != &client_;
    if (auto found = compared->settle(time)) {
      const core::Micros at = found->time > wall_ ? (found->time - wall_) / 1000 : 0;
      differ({at, "to " + std::string(side_name(server)) + " (link " + std::to_string(found->link) + ")", cause(),
              std::move(found->expected), std::move(found->got), std::move(found->fields)});
    }
    if (compared->link().lacks(server ? wire::Way::kToServer : wire::Way::kToClient) != 0)
      return Error{"frames to " + std::string(side_name(server)) + " (link " + std::to_string(compared->link().id()) +
                   ") are not recorded"};
  }
  return Done{};
}

void Rerun::differ(FirstDifference difference) {
  if (!first_ || difference.at < first_->at) first_ = std::move(difference);
}

std::string Rerun::cause() const {
  if (!heard_) return asked_;
  const bool from_server = heard_way_ == wire::Way::kToClient;
  const GameDialect& game_dialect = *heard_link_->game_dialect();
  const auto codec = game_dialect.game->codec(game_dialect.dialect);
  return frame_text(*codec, {heard_way_, heard_->lane, wire::Stage::kPlay, heard_->view()}, heard_->name) + " from " +
         side_name(from_server);
}

ComparedFrames Rerun::frames() const {
  ComparedFrames all = client_.frames();
  all += of_lost_servers_;
  if (server_) all += server_->frames();
  return all;
}

}  // namespace entente
