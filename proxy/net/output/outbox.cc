#include "proxy/net/output/outbox.h"

#include <cstring>

namespace entente::net {

Outbox::Outbox() : space_(kCapacity) {
  parcels_.reserve(kMostParcels);
  senders_.reserve(kMostParcels);
  parts_.reserve(kMostParcels);
}

bool Outbox::take(Sender& sender, Bytes bytes) {
  const bool large = bytes.size() > kMostAtOnce;
  if (large || bytes.size() > kCapacity - used_ || parcels_.size() == kMostParcels) flush();
  if (large) return false;
  std::uint8_t* const at = space_.data() + used_;
  if (!bytes.empty()) std::memcpy(at, bytes.data(), bytes.size());
  used_ += bytes.size();
  add(sender, {{at, bytes.size()}, {}});
  return true;
}

void Outbox::lend(Sender& sender, const SharedBytes& shared) {
  if (parcels_.size() == kMostParcels) flush();
  add(sender, shared);
}

/// Bytes that lie directly behind the sender's last parcel in memory become part of it.
void Outbox::add(Sender& sender, const SharedBytes& shared) {
  if (holds(sender)) {
    SharedBytes& last = parcels_[sender.last_].shared;
    if (last.continues_in(shared)) {
      last.bytes = {last.bytes.data(), last.bytes.size() + shared.bytes.size()};
      return;
    }
  }
  const auto place = static_cast<std::uint32_t>(parcels_.size());
  parcels_.push_back({shared, kNone});
  if (holds(sender)) {
    parcels_[sender.last_].next = place;
  } else {
    sender.first_ = place;
    senders_.push_back(&sender);
  }
  sender.last_ = place;
}

void Outbox::flush() {
  for (Sender* const sender : senders_) {
    parts_.clear();
    for (std::uint32_t i = sender->first_; i != kNone; i = parcels_[i].next)
      parts_.push_back({parcels_[i].shared.bytes, &parcels_[i].shared.owner});
    sender->first_ = sender->last_ = kNone;
    sender->write_out(parts_);
  }
  senders_.clear();
  parcels_.clear();
  used_ = 0;
}

}  // namespace entente::net
