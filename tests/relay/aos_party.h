// A client or a server at one end of an Ace of Spades bridge over ENet.
#pragma once

#include <deque>
#include <typeinfo>

#include "adapters/aos/aos.h"
#include "adapters/aos/wire/dialect.h"
#include "adapters/aos/wire/wire.h"
#include "tests/relay/enet_peers.h"

namespace entente::testing {

/// A client or a server at one end of the bridge. Each end has its own dialect.
class AosParty final : public EnetHost::User {
 public:
  AosParty(Turning& yard, std::size_t dialect, wire::Way hears)
      : host(yard.loop, *this),
        yard_(yard),
        dialect_(dialect),
        says_(wire::opposite(hears)),
        codec_(aos::make_message_codec(dialect)) {}

  const aos::Dialect& dialect() const { return aos::kDialects[dialect_]; }

  void say(const aos::Message& message, Lane lane = Lane::kStream) {
    Buffer out;
    codec_->write(message, says_, out);
    REQUIRE(peer != nullptr);
    const auto how = lane == Lane::kStream ? EnetDelivery::kReliable : EnetDelivery::kUnreliable;
    REQUIRE(host.send(*peer, 0, EnetPacket(out, how)));
  }

  /// Waits for a packet of type T for which `wanted` is true, and skips others. Meanwhile calls `again` every 50 ms, to
  /// repeat a request that may be lost or sent too early.
  template <class T>
  T hear(
      const std::function<bool(const T&)>& wanted = [](const T&) { return true; },
      const std::function<void()>& again = {}) {
    std::optional<T> found;
    auto next = std::chrono::steady_clock::now();
    yard_.until([&] {
      if (again && std::chrono::steady_clock::now() >= next) {
        next += std::chrono::milliseconds(50);
        again();
      }
      while (!heard_.empty() && !found) {
        const T* one = std::get_if<T>(&heard_.front());
        if (one != nullptr && wanted(*one)) found = *one;
        heard_.pop_front();
      }
      return found.has_value() || ended.has_value();
    });
    REQUIRE_MESSAGE(found.has_value(), "no " << std::string(typeid(T).name()));
    return *found;
  }

  void connected(EnetPeer& who, std::uint32_t data) override {
    who.give_up_after(kPatience);  // on a busy machine, a relay with ThreadSanitizer takes seconds to read a map
    peer = &who, connect_data = data;
  }
  void received(EnetPeer&, std::uint8_t, EnetPacket packet) override {
    const Lane lane = packet.delivery() == EnetDelivery::kReliable ? Lane::kStream : Lane::kDatagram;
    using wire::Way;
    const Way way = opposite(says_);
    const auto fault = wire::hear(*codec_, way, {lane, packet.bytes()}, [&](const auto& heard) {
      heard_.push_back(*heard.message);
      return true;
    });
    REQUIRE_FALSE(fault);
  }
  void disconnected(EnetPeer&, std::uint32_t data) override { peer = nullptr, ended = data; }

  EnetHost host;
  EnetPeer* peer = nullptr;
  std::uint32_t connect_data = 0;
  std::optional<std::uint32_t> ended;

 private:
  Turning& yard_;
  std::size_t dialect_;
  wire::Way says_;
  std::unique_ptr<wire::MessageCodec<aos::Message>> codec_;
  std::deque<aos::Message> heard_;
};

}  // namespace entente::testing
