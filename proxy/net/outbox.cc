#include "proxy/net/outbox.h"

#include <cstring>

namespace entente::net {

Outbox::Outbox() : room_(kRoom) { parcels_.reserve(1024); }

bool Outbox::take(Sender& sender, Bytes bytes) {
  const bool large = bytes.size() > kMostAtOnce;
  if (large || bytes.size() > kRoom - used_ || parcels_.size() == parcels_.capacity()) flush();
  if (large) return false;
  std::uint8_t* const at = room_.data() + used_;
  if (!bytes.empty()) std::memcpy(at, bytes.data(), bytes.size());
  used_ += bytes.size();
  if (!parcels_.empty() && parcels_.back().sender == &sender)  // it lies right behind that one: one write for both
    parcels_.back().bytes = {parcels_.back().bytes.data(), parcels_.back().bytes.size() + bytes.size()};
  else
    parcels_.push_back({&sender, {at, bytes.size()}});
  return true;
}

void Outbox::flush() {
  for (const Parcel& parcel : parcels_) parcel.sender->write_out(parcel.bytes);
  parcels_.clear();
  used_ = 0;
}

}  // namespace entente::net
