#include "proxy/program/reproduce/rerun.h"

#include <algorithm>
#include <utility>

#include "adapters/native/native.h"
#include "adapters/registry.h"
#include "proxy/program/settings/endpoint.h"
#include "proxy/rules/words.h"

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
    const auto at =
        std::find_if(known.begin(), known.end(), [&its = name](const auto& one) { return one.name == its; });
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

/// Of the back that speaks with an arena.
trace::Face arenas_face() {
  trace::Face face;
  face.set_game(std::string(native::game().name()));
  face.set_dialect(std::string(native::game().dialects()[0].name));
  return face;
}

core::Peer recorded_peer(const trace::Peer& peer) { return {peer.address(), peer.connect_data(), peer.path()}; }

/// Cuts what `peer` sent over its link.
wire::FrameReader reader_of(const GameDialect& game_dialect, const trace::Peer& peer, wire::Way way) {
  const wire::Game* const over_web = peer.path().empty() ? nullptr : game_dialect.game->over_web();
  return {over_web != nullptr ? *over_web : *game_dialect.game, game_dialect.dialect, way};
}

core::RoomOptions room_options_of(const trace::RoomBegan& began) {
  core::RoomOptions options;
  options.seed = began.seed();
  options.chat.commands = began.commands();
  options.chat.most_bytes = began.most_bytes();
  options.chat.burst = began.burst();
  options.chat.every = began.every_us();
  options.tells_drops = began.tells_drops();
  return options;
}

Error damaged_calls() { return Error{"the record of its room's calls is damaged"}; }

/// As Rerun::Call::waits.
std::size_t side_of(core::Id end) { return end == core::kBackId ? 0 : end == core::kNextBackId ? 2 : 1; }

const char* side_name(bool server) { return server ? "the server" : "the client"; }

std::string closing_text(const trace::Closing& closing) {
  std::string text = "closes the link: " + closing.why();
  return closing.code() != 0 ? text + " (" + std::to_string(closing.code()) + ")" : text;
}

bool belongs_to_call(const trace::Detail& detail) {
  return detail.kind_case() == trace::Detail::kAnswered || detail.kind_case() == trace::Detail::kClosed ||
         detail.kind_case() == trace::Detail::kRuled;
}

}  // namespace

struct Rerun::Call {
  trace::Call kind = trace::DETAIL;
  const trace::Detail* detail = nullptr;  // if it is one
  std::size_t waits[3] = {0, 0, 0};       // for the server, for the client, for the next server
  std::vector<bool> answers;
  std::vector<const trace::Closing*> closings;
  std::vector<const trace::Ruling*> rulings;

  void add(const trace::Detail& happened) {
    if (happened.has_closed())
      closings.push_back(&happened.closed());
    else if (happened.has_ruled())
      rulings.push_back(&happened.ruled());
    else
      answers.push_back(happened.answered());
  }
};

Outcome<std::unique_ptr<Rerun>> Rerun::begin(const trace::Calls& calls, RecordedLinks& links, core::Micros age) {
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
  return std::unique_ptr<Rerun>(new Rerun(link->second, links, began, age, faces_of(*front->game).front(front->options),
                                          faces_of(*back->game).back(back->options)));
}

Rerun::Rerun(RecordedLink& link, RecordedLinks& links, const trace::RoomBegan& began, core::Micros age,
             std::unique_ptr<core::Front> front, std::unique_ptr<core::Back> back)
    : link_(link),
      links_(links),
      wall_(began.wall()),
      age_(age),
      front_text_(began.front().game() + " " + began.front().dialect()),
      back_text_(began.back().game() + " " + began.back().dialect()),
      front_(std::move(front)),
      client_(link, wire::Way::kToClient, age),
      server_{.game = find_game(began.back().game())},
      room_(*this, std::move(back), room_options_of(began)) {}

// -- Calls ------------------------------------------------------------------------------------------------------------

Outcome<Done> Rerun::take(const trace::Calls& calls) {
  const bool first = std::exchange(is_first_, false);
  if (!first && calls.number() != ++number_) return Error{"a part of its room's calls is not recorded"};
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
      if (kind == trace::SERVER_WAITS || kind == trace::CLIENT_WAITS || kind == trace::NEXT_WAITS) {
        const std::size_t side = kind == trace::SERVER_WAITS ? 0 : kind == trace::CLIENT_WAITS ? 1 : 2;
        call.waits[side] = static_cast<std::size_t>(number);
        continue;
      }
      if (kind != trace::DETAIL || details >= calls.details_size() || !belongs_to_call(calls.details(details))) break;
      call.add(calls.details(details++));
    }
    if (stop_ && wall() + pause * 1000 >= *stop_) return Done{};
    if (pause != 0)
      if (const auto compared_all = compare_until(wall() + 1); !compared_all) return compared_all;
    now_ += pause;
    if (auto done = this->call(call); !done) return done;
  }
  return Done{};
}

Outcome<Done> Rerun::call(const Call& call) {
  call_ = &call;
  ++calls_;
  answered_ = 0;
  ruled_ = 0;
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
      room_.tick(at());
      break;
    case trace::FROM_SERVER:
      done = feed(server_, core::kBackId);
      break;
    case trace::FROM_NEXT:
      done = feed(next_, core::kNextBackId);
      break;
    case trace::FROM_CLIENT:
      done = reader_ ? give(link_, wire::Way::kToServer, seat_, *reader_) : damaged_calls();
      break;
    default:
      done = damaged_calls();
  }
  call_ = nullptr;
  if (done) compare_closings(call);
  return done;
}

Outcome<Done> Rerun::feed(Server& server, core::Id end) {
  if (server.compared == nullptr) return Error{"the server's link is not in the file"};
  return give(server.compared->link(), wire::Way::kToClient, end, *server.reader);
}

/// What an arena sends is recorded with the calls.
Outcome<Done> Rerun::feed_from_arena(Server& server, core::Id end, const std::string& bytes) {
  if (!server.reader) return damaged_calls();
  server.reader->feed(Lane::kStream, as_bytes(bytes), [&](const Frames& frames) { room_.received(end, frames, at()); });
  return Done{};
}

/// Gives the room the next recorded piece in this direction.
Outcome<Done> Rerun::give(RecordedLink& link, wire::Way way, core::Id end, wire::FrameReader& reader) {
  auto piece = link.next_piece(way);
  if (!piece || link.lacks(way) != 0)
    return Error{"frames from " + std::string(side_name(way == wire::Way::kToClient)) + " (link " +
                 std::to_string(link.id()) + ") are not recorded"};
  fed_ += piece->frames;
  heard_ = std::move(piece->last);
  heard_way_ = way;
  heard_link_ = &link;
  reader.feed(piece->lane, piece->bytes, [&](const Frames& frames) { room_.received(end, frames, at()); });
  return Done{};
}

Outcome<Done> Rerun::call_detail(const trace::Detail& detail) {
  switch (detail.kind_case()) {
    case trace::Detail::kSeated:
      if (front_ == nullptr) return damaged_calls();
      asked_ = "the client's link came up";
      reader_ = reader_of(*link_.game_dialect(), detail.seated(), wire::Way::kToServer);
      seat_ = room_.seat(std::move(front_), recorded_peer(detail.seated()), at());
      return Done{};
    case trace::Detail::kServerUp:
      asked_ = "the server's link came up";
      if (auto done = open(server_, detail.server_up()); !done) return done;
      room_.back_opened(recorded_peer(detail.server_up().peer()), at());
      return Done{};
    case trace::Detail::kServerSpeaks:
      return server_speaks(detail.server_speaks());
    case trace::Detail::kGone:
      if (!detail.gone().server() && seat_ == 0) return damaged_calls();
      asked_ = std::string(side_name(detail.gone().server())) + " left (" + detail.gone().why() + ")";
      room_.gone(detail.gone().server() ? core::kBackId : seat_, detail.gone().why(), at(), detail.gone().code());
      return Done{};
    case trace::Detail::kServerReplaced:
      return replace(detail.server_replaced());
    case trace::Detail::kKept:
      asked_ = "the client's link broke";
      room_.keep(seat_, at());
      return Done{};
    case trace::Detail::kReturned:
      asked_ = "the client came back";
      reader_ = reader_of(*link_.game_dialect(), detail.returned(), wire::Way::kToServer);
      room_.returned(seat_, recorded_peer(detail.returned()), at());
      return Done{};
    case trace::Detail::kAnnounced:
      asked_ = "the operator's text '" + detail.announced() + "'";
      room_.announce(seat_, detail.announced(), at());
      return Done{};
    case trace::Detail::kEnded:
      asked_ = "the session was ended (" + detail.ended() + ")";
      room_.end(detail.ended(), at());
      return Done{};
    case trace::Detail::kFromArena:
      asked_ = "a word of the arena";
      return feed_from_arena(server_, core::kBackId, detail.from_arena());
    default:
      return call_of_move(detail);
  }
}

/// While the player is moved to another server.
Outcome<Done> Rerun::call_of_move(const trace::Detail& detail) {
  if (detail.kind_case() == trace::Detail::kMoves) return begin_move(detail.moves());
  if (next_.game == nullptr) return damaged_calls();
  switch (detail.kind_case()) {
    case trace::Detail::kNextUp:
      asked_ = "the next server's link came up";
      if (auto done = open(next_, detail.next_up()); !done) return done;
      room_.back_opened(recorded_peer(detail.next_up().peer()), at(), core::kNextBackId);
      return Done{};
    case trace::Detail::kNextSpeaks: {
      asked_ = "the next server showed its dialect";
      const auto dialect = dialect_of(next_, detail.next_speaks());
      if (!dialect) return dialect.error();
      room_.back_speaks(*dialect, at(), core::kNextBackId);
      return Done{};
    }
    case trace::Detail::kNextGone:
      asked_ = "the next server left (" + detail.next_gone().why() + ")";
      room_.gone(core::kNextBackId, detail.next_gone().why(), at(), detail.next_gone().code());
      return Done{};
    case trace::Detail::kFromNextArena:
      asked_ = "a word of the next arena";
      return feed_from_arena(next_, core::kNextBackId, detail.from_next_arena());
    case trace::Detail::kMoveEnded:
      asked_ = "the move was ended (" + detail.move_ended() + ")";
      room_.transition().cancel_move(detail.move_ended(), at());
      return Done{};
    default:
      return damaged_calls();
  }
}

/// `up.link()` 0: an arena.
Outcome<Done> Rerun::open(Server& server, const trace::ServerUp& up) {
  if (std::exchange(server.opened, true)) return damaged_calls();
  if (up.link() != 0) {
    const auto link = links_.find(up.link());
    const bool known = link != links_.end() && link->second.game_dialect();
    // A server whose dialect never became known has no link in the file.
    if (!known && !up.unknown())
      return Error{"link " + std::to_string(up.link()) + ", of its server, is not in the file"};
    if (known && link->second.game_dialect()->game != server.game)
      return Error{"link " + std::to_string(up.link()) + " is not of its server's game"};
    if (known) {
      server.reader =
          std::make_unique<wire::FrameReader>(reader_of(*link->second.game_dialect(), up.peer(), wire::Way::kToClient));
      server.compared = std::make_unique<Comparison>(link->second, wire::Way::kToServer, age_);
    }
  } else {
    server.reader = std::make_unique<wire::FrameReader>(native::game(), 0, wire::Way::kToClient);
  }
  server.unknown = up.unknown();
  return Done{};
}

/// The server has shown that it uses the dialect with this name.
Outcome<std::size_t> Rerun::dialect_of(Server& server, const std::string& name) {
  const auto known = wire::find_dialect(*server.game, name);
  if (!std::exchange(server.unknown, false)) return damaged_calls();
  if (!known) return Error{std::string(server.game->name()) + " has no dialect '" + name + "'"};
  return *known;
}

Outcome<Done> Rerun::server_speaks(const std::string& name) {
  asked_ = "the server showed its dialect";
  const auto dialect = dialect_of(server_, name);
  if (!dialect) return dialect.error();
  back_text_ = std::string(server_.game->name()) + " " + name;
  room_.back_speaks(*dialect, at());
  return Done{};
}

Outcome<Done> Rerun::replace(const trace::ServerReplaced& replaced) {
  asked_ = "the server was lost (" + replaced.why() + ")";
  const auto back = made_face(replaced.meanwhile() ? arenas_face() : replaced.back(), false);
  if (!back) return back.error();
  if (!room_.transition().outlives_server())
    return Error{"after " + asked_ + ", the room does not wait for the next server, as it did in the recording"};
  part(server_);
  if (const auto compared_all = compare_until(wall() + 1); !compared_all) return compared_all;
  server_ = {.game = replaced.meanwhile() ? server_.game : back->game};
  room_.transition().replace_back(faces_of(*back->game).back(back->options),
                                  {replaced.why(), replaced.code(), replaced.meanwhile()}, at());
  return Done{};
}

Outcome<Done> Rerun::begin_move(const trace::Face& face) {
  asked_ = "the player is moved to another server";
  const auto back = made_face(face.game().empty() ? arenas_face() : face, false);
  if (!back) return back.error();
  if (!room_.transition().can_move())
    return Error{"when " + asked_ + ", the room does not begin, as it did in the recording"};
  part(next_);
  next_ = {.game = back->game};
  room_.transition().begin_move(faces_of(*back->game).back(back->options), at());
  return Done{};
}

/// From now on, the server is the next one.
void Rerun::moved() {
  part(server_);
  server_ = std::exchange(next_, {});
}

/// What was said there until now is still to be compared.
void Rerun::part(Server& server) {
  if (server.compared != nullptr) parting_.push_back(std::move(server.compared));
}

void Rerun::stop_at_last_frame() {
  WallTime last = link_.last_time();
  for (const Server* server : {&server_, &next_})
    if (server->compared != nullptr) last = std::max(last, server->compared->link().last_time());
  if (!stop_) stop_ = last;
}

void Rerun::finish(bool whole) {
  if (!whole) {  // the last call may have sent frames that the file lacks
    if (!stop_) stop_ = wall();
    (void)compare_until(*stop_);
    return;
  }
  (void)compare_until(UINT64_MAX);
}

// -- Output -----------------------------------------------------------------------------------------------------------

void Rerun::send(core::Id end, Lane lane, Bytes bytes) {
  Server* const server = end == core::kBackId ? &server_ : end == core::kNextBackId ? &next_ : nullptr;
  if (server != nullptr && server->unknown) return;
  auto& waiting = waiting_[side_of(end)];
  if (waiting) *waiting += bytes.size();
  if (server == nullptr) return client_.said(lane, bytes, wall());
  if (server->compared != nullptr) server->compared->said(lane, bytes, wall());
}

std::size_t Rerun::waiting_bytes(core::Id end) const {
  const std::size_t side = side_of(end);
  if (!waiting_[side]) waiting_[side] = call_ != nullptr ? call_->waits[side] : 0;
  return *waiting_[side];
}

void Rerun::close(core::Id end, std::string_view why, std::uint32_t code) {
  if (end == core::kNextBackId) return;  // not recorded
  trace::Closing closing;
  closing.set_server(end == core::kBackId);
  closing.set_why(std::string(why));
  closing.set_code(code);
  closings_.push_back(std::move(closing));
}

bool Rerun::answer() {
  const std::size_t next = answered_++;
  return call_ != nullptr && next < call_->answers.size() && call_->answers[next];
}

/// What the operator's rules did is recorded.
bool Rerun::passes(core::Intent& intent) {
  ++ruled_;
  if (call_ == nullptr) return true;
  for (const trace::Ruling* ruling : call_->rulings) {
    if (ruling->nth() != ruled_) continue;
    if (ruling->dropped()) return false;
    auto changed = core::read_intent(as_bytes(ruling->changed()));
    if (!changed || changed->content.index() != intent.content.index()) return true;
    rules::copy_hidden(intent, *changed);
    changed->at = intent.at;
    changed->by = intent.by;
    changed->number = intent.number;
    intent = std::move(*changed);
  }
  return true;
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

/// Compares what was sent before `time`. An error: the recording lacks the frames of that time.
Outcome<Done> Rerun::compare_until(WallTime time) {
  std::vector<Comparison*> all = {&client_, server_.compared.get(), next_.compared.get()};
  for (const auto& one : parting_) all.push_back(one.get());
  for (Comparison* const compared : all) {
    if (compared == nullptr) continue;
    const bool server = compared != &client_;
    if (auto found = compared->compare_until(time)) {
      const core::Micros at = found->time > wall_ ? (found->time - wall_) / 1000 : 0;
      differ({at, "to " + std::string(side_name(server)) + " (link " + std::to_string(found->link) + ")", cause(),
              std::move(found->expected), std::move(found->got), std::move(found->fields)});
    }
    if (compared->link().lacks(server ? wire::Way::kToServer : wire::Way::kToClient) != 0)
      return Error{"frames to " + std::string(side_name(server)) + " (link " + std::to_string(compared->link().id()) +
                   ") are not recorded"};
  }
  for (const auto& one : parting_) of_lost_servers_ += one->frames();
  parting_.clear();
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
  for (const Server* server : {&server_, &next_})
    if (server->compared != nullptr) all += server->compared->frames();
  for (const auto& one : parting_) all += one->frames();
  return all;
}

}  // namespace entente
