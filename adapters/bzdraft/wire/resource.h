// Resources: parts of a world, named by the md5 of their bytes. A resource is a list of the classic records (u16 size,
// u16 code, body) up to an end record. One record is our own: it includes another resource, by its md5, at that place.
// Invariant: a resource that does not match its name is not used. Whatever a server sends, work and memory are bounded.
#pragma once

#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "adapters/bzdraft/wire/messages.h"
#include "proxy/core/word.h"

namespace entente::bzdraft {

/// The md5 in the name that MsgGetWorld gives, which is 32 hexadecimal digits; nothing if it is not such a name.
std::optional<Md5> md5_of_name(std::string_view name);

/// A world of any game as one resource, for a client.
Buffer resource_of(const words::World& world);

/// The resources that a session has fetched, by name.
class Resources {
 public:
  /// False: the resource is not kept, because its bytes do not match its name, or there are too many.
  bool add(const Md5& md5, Buffer bytes);
  bool has(const Md5& md5) const { return known_.contains(md5); }
  /// A resource that is still to be fetched, among `root` and all that it includes; nothing if there is none.
  std::optional<Md5> missing(const Md5& root) const;
  /// The world of `root` and all that it includes; nothing if `root` is not a resource. `unread`: how many included
  /// ones could not be read. REQUIRES: nothing is missing.
  std::optional<words::World> world(const Md5& root, std::size_t& unread) const;
  /// The server does not have this resource: it counts as empty, and is not requested again.
  void give_up(const Md5& md5) { known_.emplace(md5, Buffer()); }

  static constexpr std::size_t kMost = 256, kMostBytes = 16U << 20U;
  static constexpr int kDeepest = 8;

 private:
  class Reading;

  std::map<Md5, Buffer> known_;
  std::size_t bytes_ = 0;
};

}  // namespace entente::bzdraft
