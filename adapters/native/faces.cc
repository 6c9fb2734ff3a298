#include "adapters/native/faces.h"

#include <algorithm>
#include <array>
#include <optional>
#include <type_traits>

#include "adapters/native/codec.h"
#include "adapters/native/drops.h"
#include "adapters/native/schema_table.h"
#include "adapters/native/sent_numbers.h"
#include "proxy/base/text.h"
#include "proxy/core/gameplay/pending_claims.h"
#include "proxy/core/id_map.h"
#include "proxy/core/ids.h"
#include "proxy/core/texts.h"
#include "proxy/core/world.h"

namespace entente::native {
namespace {

using core::as;
using core::BackOut;
using core::Fact;
using core::FrontOut;
using core::Id;
using core::Intent;
using core::translate_ids;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

constexpr std::size_t kLongestText = 4096;  // bytes, of a text that is not a name

/// Whether its fields `name` and `skin` are those of a player.
bool is_of_player(const google::protobuf::Descriptor* type) {
  return type == words::Player::descriptor() || type == words::Unit::descriptor() ||
         type == words::UnitChanged::descriptor() || type == words::Board::Row::descriptor() ||
         type == words::Said::descriptor();
}

/// Cuts the texts of a message, and of those inside it. Returns whether one was too long.
bool cut_texts(const MessageType& type, Message& message) {
  const auto& see = *message.GetReflection();
  bool any = false;
  const auto cut_field = [&](const FieldType& field) {
    const bool is_list = field.is->is_repeated();
    const bool is_name = is_of_player(type.is) && (field.is->name() == "name" || field.is->name() == "skin");
    const std::size_t most = is_name ? core::kMostName : kLongestText;
    const int count = is_list ? see.FieldSize(message, field.is) : (see.HasField(message, field.is) ? 1 : 0);
    for (int i = 0; i < count; ++i) {
      if (field.inner != nullptr) {
        any |= cut_texts(*field.inner, is_list ? *see.MutableRepeatedMessage(&message, field.is, i)
                                               : *see.MutableMessage(&message, field.is));
        continue;
      }
      std::string kept;
      const std::string& text = is_list ? see.GetRepeatedStringReference(message, field.is, i, &kept)
                                        : see.GetStringReference(message, field.is, &kept);
      if (text.size() <= most) continue;
      any = true;
      std::string cut = fitted(text, most);
      is_list ? see.SetRepeatedString(&message, field.is, i, std::move(cut))
              : see.SetString(&message, field.is, std::move(cut));
    }
  };
  for (const FieldType& field : type.fields)
    if (field.inner != nullptr ? field.inner->has_text : field.is->type() == FieldDescriptor::TYPE_STRING)
      cut_field(field);
  return any;
}

/// The same, of a fact.
bool cut_texts(words::Fact& fact) {
  static const MessageType& type = *message_type(words::Fact::descriptor());
  const FieldType* const kind = type.numbered(static_cast<std::uint32_t>(fact.kind_case()));
  return kind != nullptr && kind->inner->has_text &&
         cut_texts(*kind->inner, *fact.GetReflection()->MutableMessage(&fact, kind->is));
}

/// Sends and receives words over one link. Faces do not know the transport: it is WebSocket if the peer has a path.
template <class Heard, class Said>
class Link {
 public:
  explicit Link(const core::FaceOptions& options) : dialect_(static_cast<Dialect>(options.dialect)) {}

  void opened(const core::Peer& peer) { envelope_ = {dialect_, peer.path.empty()}; }

  /// Calls `take(Heard)` for each message, and `fail(fault, why)` for bytes that are not one; `why` may be empty. A
  /// fault ends the session.
  template <class Take, class Fail>
  void receive(const Frames& frames, Take&& take, Fail&& fail) {
    frames.each([&](Stage, Bytes frame) {
      ++count_;
      std::string why;
      const auto inside = envelope_.open(frame);
      if (!inside) return fail(inside.error(), why), false;
      const auto read = parsed(*inside, why);
      const bool goes_on = read.ok() && take(heard_);
      if (!read) fail(in_frame(read.error(), frame, *inside), why);
      if (frame.size() > kKeptFrame) Heard().Swap(&heard_);  // a cleared message would keep its memory
      return goes_on;
    });
  }

  /// The number of the last received message, from 1.
  std::uint64_t count() const { return count_; }

  template <class Out>
  void send(const Said& message, Out& out) {
    out.send(Lane::kStream, frame(message));
  }
  /// Encodes a whole frame, which is valid until the next call.
  Bytes frame(const Said& message) {
    frame_.clear();
    envelope_.wrap(frame_, [&](Buffer& to) { spell(dialect_, message, to); });
    return frame_;
  }
  /// Gives back the memory of a large frame.
  void forget_frame() { clear_keeping(frame_, kKeptFrame); }
  /// Links with the same key encode every message in the same way.
  const void* cache_key() const {
    static constexpr std::array<std::array<char, 2>, 2> kKeys{};
    return &kKeys[static_cast<std::size_t>(dialect_)][envelope_.in_stream ? 1 : 0];
  }

 private:
  static constexpr std::size_t kKeptFrame = 16 * 1024;  // bytes

  Result<google::protobuf::Message*> parsed(Bytes inside, std::string& why) {
    if constexpr (std::is_same_v<Heard, words::Intent>)
      return parse_strictly(dialect_, inside, heard_, why);
    else
      return parse_fact(dialect_, inside, heard_);
  }

  Dialect dialect_;
  Envelope envelope_;
  Heard heard_;
  Buffer frame_;
  std::uint64_t count_ = 0;  // number of messages received
};

class NativeFront final : public core::Front {
 public:
  explicit NativeFront(const core::FaceOptions& options) : link_(options) {}

  void opened(const core::Peer& peer, FrontOut&) override { link_.opened(peer); }

  void receive(const Frames& frames, FrontOut& out) override {
    const auto take = [&](const words::Intent& message) {
      auto intent = core::from_message(message);
      if (!intent) return out.drop(drops::kUnknownIntent), true;  // of a later schema
      if (const auto* enter = as<words::Enter>(*intent)) contract_ = std::clamp(enter->contract(), 1U, kContract);
      if (as<words::Enter>(*intent) != nullptr || as<words::WantWorld>(*intent) != nullptr) wait(out);
      if (contract_ < 2 && as<words::Playback>(*intent) != nullptr) return out.drop(drops::kOfContract2), true;
      out.say(std::move(*intent));
      return true;
    };
    link_.receive(frames, take, [&](const Fault& fault, const std::string& why) { refuse(fault, why, out); });
  }

  void hear(const Fact& fact, FrontOut& out) override {
    const bool is_soon_outdated = as<words::Pose>(fact) || as<words::Input>(fact);
    if (is_soon_outdated && out.waiting_bytes() > kSlowReader) return out.drop(drops::kSlowReader, fact);
    if (contract_ < 2 && as<words::Timeline>(fact) != nullptr) return;  // version 1 has no Timeline
    const auto* refused = as<words::Refused>(fact);
    told_end_ = as<words::Kicked>(fact) || (refused != nullptr && !refused->may_retry());
    if (refused != nullptr) refused_at_ = out.now();
    if (as<words::Ready>(fact) || refused != nullptr || told_end_) waits_ = false;
    if (out.send_cached(Lane::kStream, link_.cache_key())) return;
    core::to_message(fact, message_);
    if (message_.has_you()) {
      message_.mutable_you()->set_contract(1);
      message_.mutable_you()->set_newest(kContract);
    }
    out.send_shared(Lane::kStream, link_.cache_key(), link_.frame(message_));
    link_.forget_frame();
    if (message_.has_world()) words::Fact().Swap(&message_);  // a cleared message would keep the memory of the map
  }

  /// Tells a client that waits for the world that it should wait on, however long the server is silent.
  void tick(FrontOut& out) override {
    if (!waits_) return;
    out.wake(tell_at_);
    if (out.now() < tell_at_) return;
    message_.Clear();
    message_.mutable_world_progress();
    message_.set_audience(words::PLAYER);
    message_.set_to(out.me());
    message_.set_at_us(out.now());
    link_.send(message_, out);
    tell_at_ = out.now() + kTellWaiting;
    out.wake(tell_at_);
  }

  const void* map_key() const override { return link_.cache_key(); }
  bool takes_another_world() const override { return true; }

  /// Sends Kicked as the last message, unless the end was sent already. A server that refuses and closes at once has
  /// said why, and the client may come again.
  void session_ends(std::string_view why, FrontOut& out) override {
    if (!told_end_ && refused_at_ != out.now()) {
      message_.Clear();
      message_.mutable_kicked()->set_text(std::string(why));
      link_.send(message_, out);
    }
    out.close(why);
  }

 private:
  static constexpr core::Micros kTellWaiting = 5 * core::kSecond;

  /// The client has asked for the world, with a player or without.
  void wait(FrontOut& out) {
    if (waits_ || out.world().ready()) return;
    waits_ = true;
    tell_at_ = out.now() + kTellWaiting;
    out.wake(tell_at_);
  }

  /// Tells the author of the client which of its messages is wrong, and where.
  void refuse(const Fault& fault, const std::string& why, FrontOut& out) {
    message_.Clear();
    words::Refused& refused = *message_.mutable_refused();
    refused.set_text("message " + std::to_string(link_.count()) + ": " +
                     (why.empty() ? std::string(fault.what) + " in " + fault.field : why));
    message_.set_audience(words::PLAYER);
    message_.set_to(out.me());
    told_end_ = true;
    link_.send(message_, out);
    out.fail(fault);
  }

  Link<words::Intent, words::Fact> link_;
  std::uint32_t contract_ = 1;  // the protocol version that the client has asked for
  bool waits_ = false;          // the client has asked for the world, which is not complete
  core::Micros tell_at_ = 0;    // so it is told at this time
  bool told_end_ = false;
  std::optional<core::Micros> refused_at_;
  words::Fact message_;
};

class NativeBack final : public core::Back {
 public:
  explicit NativeBack(const core::FaceOptions& options) : link_(options) {}

  void opened(const core::Peer& peer, BackOut& out) override {
    link_.opened(peer);
    open_ = true;
    claims_.begin(core::Claim::kEnter, kYouPatience, out);
    for (const Intent& intent : std::exchange(early_, {})) hear(intent, out);
  }

  void tick(BackOut& out) override {
    claims_.check(out, [&](core::Claim, int) {
      refuse(words::Refused::SERVER_GONE, "the server does not answer", out);
      out.close("the server does not answer");
    });
  }

  void hear(const Intent& intent, BackOut& out) override {
    if (!open_ || their_me_ == 0) {
      if (early_.size() >= kMostEarly) return out.drop(drops::kEarlyFull, intent);
      return early_.push_back(intent);
    }
    core::to_message(intent, message_);
    translate_ids(message_, [&](Id id) { return ids_.number_or(id, 0); });
    link_.send(message_, out);
    sent_.add(intent.number);
    if (as<words::Leave>(intent) != nullptr) out.close("the player left");
  }

  void receive(const Frames& frames, BackOut& out) override {
    link_.receive(
        frames, [&](words::Fact& message) { return take(message, out), true; },
        [&](const Fault& fault, const std::string&) { out.fail(fault); });
  }

  void closed(std::string_view why, BackOut& out) override {
    if (!ready_) refuse(words::Refused::SERVER_GONE, why, out);
  }

 private:
  void take(words::Fact& message, BackOut& out) {
    fit(message, out);
    if (message.has_you()) return begin(message.you(), out);
    if (message.has_world_progress() && their_me_ == 0) wait_on(out);
    if (message.has_kicked() && core::is_for_now(message.kicked().text()) &&
        out.report_server_stopping(message.kicked().text()))
      return out.close(message.kicked().text());
    // After any of these, closed() reports nothing more.
    ready_ = ready_ || message.has_ready() || message.has_kicked() ||
             (message.has_refused() && !message.refused().may_retry());
    translate_ids(message, [&](Id theirs) { return ours(theirs, out); });
    if (message.has_said() && message.said().scope() == words::Say::ONE)
      message.mutable_said()->set_to(ours(message.said().to(), out));
    message.set_cause(message.audience() == words::PLAYER ? sent_.here(message.cause()) : 0);
    if (message.audience() == words::PLAYER) message.set_to(out.me());
    // Ids of players and units that are gone are forgotten, because no later message uses them.
    if (message.has_player_gone()) forget(message.player_gone().id(), out);
    if (auto fact = core::from_message(message)) out.say(std::move(*fact));
    if (message.has_gone()) ids_.remove_id(message.gone().unit());
  }

  /// Cuts what is longer than a room keeps.
  static void fit(words::Fact& message, BackOut& out) {
    if (message.has_world()) core::ensure_hash(*message.mutable_world());
    if (message.has_board()) fit_board(*message.mutable_board(), out);
    if (cut_texts(message)) out.drop(drops::kTextTooLong);
  }

  static void fit_board(words::Board& board, BackOut& out) {
    constexpr int kMostRows = 100;
    const auto fit_list = [&](auto& list) {
      if (list.size() <= kMostRows) return;
      list.DeleteSubrange(kMostRows, list.size() - kMostRows);
      out.drop(drops::kBoardFull);
    };
    fit_list(*board.mutable_rows());
    fit_list(*board.mutable_lines());
    if (board.slices_size() > kMostRows) {
      board.mutable_slices()->Truncate(kMostRows);
      out.drop(drops::kBoardFull);
    }
  }

  /// Forgets a player's id, and those of its units while the room still knows them.
  void forget(Id player, const BackOut& out) {
    const core::PlayerState* const state = out.world().player(player);
    for (const Id unit : state != nullptr ? state->units : std::vector<Id>()) ids_.remove_id(unit);
    ids_.remove_id(player);
  }

  /// The server is there, and waits itself.
  void wait_on(BackOut& out) {
    claims_.answered(core::Claim::kEnter);
    claims_.begin(core::Claim::kEnter, kYouPatience, out);
  }

  void begin(const words::You& you, BackOut& out) {
    claims_.answered(core::Claim::kEnter);
    if (you.contract() > kContract) return refuse(you.contract(), out);
    their_me_ = you.player();
    ids_.clear();
    sent_.clear();
    ids_.add(their_me_, out.me());
    for (const Intent& intent : std::exchange(early_, {})) hear(intent, out);
  }

  static void refuse(std::uint32_t contract, BackOut& out) {
    const std::string why = "the server speaks version " + std::to_string(contract) + " of native; Entente supports " +
                            std::to_string(kContract);
    refuse(words::Refused::WRONG_VERSION, why, out);
    out.close(why);
  }

  static void refuse(words::Refused::Code code, std::string_view why, BackOut& out) {
    words::Refused refused;
    refused.set_code(code);
    refused.set_text(std::string(why));
    out.say(std::move(refused));
  }

  Id ours(Id theirs, BackOut& out) {
    if (const Id known = ids_.id(theirs)) return known;
    const Id fresh = out.new_id();
    if (ids_.size() < kMostIds) ids_.add(theirs, fresh);
    return fresh;
  }

  static constexpr std::size_t kMostIds = 100'000, kMostEarly = 1'000;
  static constexpr core::Micros kYouPatience = 90 * core::kSecond;  // for the server's first message

  Link<words::Fact, words::Intent> link_;
  core::PendingClaims claims_;
  words::Intent message_;
  std::vector<Intent> early_;  // intents from before the server's first message
  core::IdMap<Id> ids_;        // their ids and ours
  SentNumbers sent_;           // their numbers of our intents
  Id their_me_ = 0;
  bool open_ = false;
  bool ready_ = false;  // the player is in the game, or was turned away
};

}  // namespace

std::unique_ptr<core::Front> make_front(const core::FaceOptions& options) {
  return std::make_unique<NativeFront>(options);
}
std::unique_ptr<core::Back> make_back(const core::FaceOptions& options) {
  return std::make_unique<NativeBack>(options);
}

}  // namespace entente::native
