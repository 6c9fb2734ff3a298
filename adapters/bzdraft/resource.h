// Resources: pieces of a world by the md5 of their bytes. A resource is a list of the classic records (u16 size, u16
// code, body, up to an end), and one of ours beside them: "here stands what the resource of that md5 holds".
// Law: a resource is what its name says, or it is nothing; whatever comes costs a bounded amount of work and memory.
#pragma once

#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "adapters/bzdraft/messages.h"
#include "proxy/core/word.h"

namespace entente::bzdraft {

/// Of the name that MsgGetWorld gives: 32 digits.
std::optional<Md5> md5_of_name(std::string_view name);

/// What a client is served: a world, of whatever game, as one resource.
Buffer resource_of(const words::World& world);

/// What has been fetched, by name; kept as long as its session.
class Resources {
 public:
  /// False, and not kept: its bytes are not what its name says, or they are too many.
  bool add(const Md5& md5, Buffer bytes);
  bool has(const Md5& md5) const { return known_.contains(md5); }
  /// Of all that `root` refers to, directly or not, one that is still to be fetched.
  std::optional<Md5> missing(const Md5& root) const;
  /// All of it, once nothing is missing; none if `root` is no resource. `unread`: how many others are none.
  std::optional<words::World> world(const Md5& root, std::size_t& unread) const;
  /// A server has no such resource: it is not asked for again.
  void give_up(const Md5& md5) { known_.emplace(md5, Buffer()); }

  static constexpr std::size_t kMost = 256, kMostBytes = 16U << 20U;
  static constexpr int kDeepest = 8;

 private:
  class Reading;

  std::map<Md5, Buffer> known_;
  std::size_t bytes_ = 0;
};

}  // namespace entente::bzdraft
