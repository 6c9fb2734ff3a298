// The taps of a process: one for each recorded route, and one for all routes that are only counted.
// Law: they outlive the relay server that feeds them; only stop() completes a recording.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "proxy/base/fault.h"
#include "proxy/relay/tap/tap.h"
#include "schema/config.pb.h"

namespace entente {

class Taps {
 public:
  /// `give_up` is called, from any thread, when a recording cannot continue and the settings say to stop then.
  Taps(const config::Recording& settings, std::function<void()> give_up);

  /// A tap that records into `path`, which must not exist.
  Outcome<relay::TapThread*> recording(const std::string& path);
  /// The tap that only counts.
  relay::TapThread* counting();
  /// The same tap, if it records; else null.
  const relay::TapThread* recording_of(const relay::Tap* tap) const;

  /// The name of this link's player, as a tap read it; "" if none did. From any thread.
  std::string player(relay::LinkId link) const;

  /// All taps.
  std::vector<const relay::TapThread*> all() const;

  /// Stops all taps and completes the recordings. REQUIRES: the server's run() has returned.
  Outcome<Done> stop();
  /// Stops all taps and removes the recordings, because nothing was served. May be called after stop().
  void abandon();

 private:
  const config::Recording& settings_;
  std::function<void()> give_up_;
  std::vector<std::string> paths_;
  std::vector<std::unique_ptr<relay::TapThread>> recordings_;
  std::unique_ptr<relay::TapThread> counting_;
};

}  // namespace entente
