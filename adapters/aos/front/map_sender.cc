#include <algorithm>

#include "adapters/aos/wire/drops.h"

#include "adapters/aos/front/map_sender.h"

namespace entente::aos {
namespace {

using core::kMillisecond, core::kSecond;

/// How long to wait for Map Cached: OpenSpades never sends it.
constexpr core::Micros kOfferPatience = 2 * kSecond, kOfferForgotten = 60 * kSecond;

constexpr core::Micros kBreath = 2 * kMillisecond;  // between two pieces of work on the map
constexpr int kPiecesAtOnce = 4;
constexpr core::Micros kBetweenChunks = 10 * kMillisecond;
constexpr std::size_t kMostWaiting = 48 * 1024;  // bytes of the map that may wait for a slow client

constexpr core::Micros kMakeEvery = 2 * kSecond;  // maps that are made for one client, in the long run
constexpr int kMakesAtOnce = 8;

const std::shared_ptr<const words::World>& open_field() {
  static const std::shared_ptr<const words::World> field = [] {
    words::World world;
    world.set_name("open field");
    return std::make_shared<const words::World>(std::move(world));
  }();
  return field;
}

}  // namespace

bool MapSender::load(FrontOut& out) {
  switch (stage_) {
    case Stage::kWorld:
      return await_world(out), false;
    case Stage::kMap:
      if (!has_maker(out)) return false;
      for (int i = 0; i < kPiecesAtOnce; ++i)
        if (maker_->work(++pieces_)) return offer(out);
      out.wake(out.now() + kBreath);
      return false;
    case Stage::kOffered:
      if (out.now() < patience_) return out.wake(patience_), false;
      stage_ = Stage::kSending;
      return send_chunks(out);
    case Stage::kSending:
      return send_chunks(out);
    case Stage::kLoaded:
      return false;
  }
  return false;
}

/// Begins once the world is known. A client that gets an open field instead is sent the world as its next map.
void MapSender::await_world(FrontOut& out) {
  const core::WorldWait::Answer answer = wait_.look(out.world().geometry() != nullptr, out);
  gave_up_ = answer == core::WorldWait::Answer::kNever;
  const bool waits = answer == core::WorldWait::Answer::kNotYet;
  if (signs_.due(waits, out)) client_.send(VersionGet{}, out);  // clients answer it even before they have a map
  if (gave_up_ || waits) return;
  begin(out);
  guessed_ = answer == core::WorldWait::Answer::kGuess;
}

void MapSender::begin(FrontOut& out) {
  guessed_ = false;
  const words::World* world = out.world().geometry();
  hash_ = world != nullptr ? world->hash() : "";
  maker_.reset();
  pieces_ = 0;
  stage_ = Stage::kMap;
  out.wake(out.now());
}

/// Chooses the maker of the map, which may cost a lot. A room may send many worlds one after the other: only the newest
/// is made, and each client waits if it gets too many (a token bucket).
bool MapSender::has_maker(FrontOut& out) {
  if (maker_ != nullptr) return true;
  const core::Micros paid = std::max(makes_paid_, out.now()) + kMakeEvery;
  if (paid > out.now() + kMakesAtOnce * kMakeEvery) return out.wake(paid - kMakesAtOnce * kMakeEvery), false;
  makes_paid_ = paid;
  maker_ = maker_of(out.world().geometry() != nullptr ? out.world().shared_geometry() : open_field());
  return true;
}

bool MapSender::offer(FrontOut& out) {
  if (maker_->broken()) out.drop(drops::kMapBroken);
  if (maker_->left_out() != 0) out.drop(drops::kSolidsLeftOut);
  const words::World* world = out.world().geometry();
  MapStart start;
  start.size = static_cast<std::uint32_t>(maker_->stream().size());
  start.crc32 = maker_->crc32();
  start.name.chars = world != nullptr ? wire_text(world->name()) : "field";
  client_.send(start, out);
  sent_ = 0;
  const bool asks = client_.dialect().map_checksum;
  if (out.now() > patience_ + kOfferForgotten) unanswered_ = 0;
  if (asks) ++unanswered_;
  stage_ = asks ? Stage::kOffered : Stage::kSending;
  patience_ = out.now() + kOfferPatience;
  return load(out);
}

/// Answers come in the order of the offers. One that comes late is about a former map.
bool MapSender::hear_cached(bool cached, FrontOut& out) {
  if (unanswered_ > 0) --unanswered_;
  if (unanswered_ > 0 || stage_ != Stage::kOffered) return false;
  if (cached) sent_ = maker_->stream().size();
  stage_ = Stage::kSending;
  return send_chunks(out);
}

bool MapSender::send_chunks(FrontOut& out) {
  const Buffer& stream = maker_->stream();
  for (std::size_t waits = out.waiting_bytes(); sent_ < stream.size() && waits < kMostWaiting; waits += kMapChunk) {
    const Bytes piece = Bytes(stream).subspan(sent_, std::min(kMapChunk, stream.size() - sent_));
    MapChunk chunk;
    chunk.data.assign(piece.begin(), piece.end());
    sent_ += piece.size();
    client_.send(chunk, out);
  }
  if (sent_ < stream.size()) return out.wake(out.now() + kBetweenChunks), false;
  stage_ = Stage::kLoaded;
  return true;
}

Vec3 MapSender::stand(const words::Pose& pose, const FrontOut& out) const {
  Vec3 eyes = eyes_of(pose);
  if ((same_game(out) || maker_ == nullptr) && is_finite(eyes)) return eyes;
  constexpr float kFirst = 0.5F, kLast = static_cast<float>(kMapSize) - 0.5F;
  for (std::size_t i = 0; i < 2; ++i) eyes[i] = std::isfinite(eyes[i]) ? std::clamp(eyes[i], kFirst, kLast) : kLast / 2;
  const auto over_feet = static_cast<float>(eyes_over_feet(pose.state()));
  const float feet = std::isfinite(eyes[2]) ? std::clamp(eyes[2] + over_feet, 3.0F, 63.0F) : 62.0F;
  if (maker_ == nullptr) return {eyes[0], eyes[1], feet - over_feet};
  const std::uint64_t column =
      maker_->map().column(static_cast<std::uint32_t>(eyes[0]), static_cast<std::uint32_t>(eyes[1]));
  auto lowest = static_cast<unsigned>(feet - 0.01F);  // the block that the feet are in
  const unsigned meant = lowest;
  while (lowest > 2 && (column >> (lowest - 2) & 7U) != 0) --lowest;
  eyes[2] = (lowest == meant ? feet : static_cast<float>(lowest + 1)) - over_feet;
  return eyes;
}

}  // namespace entente::aos
