// Who our client says it is, and how it becomes somebody else.
#pragma once

#include <optional>

#include "adapters/bzdraft/front/cast.h"

namespace entente::bzdraft {

class Entry {
 public:
  Entry(Client& client, Cast& cast) : client_(client), cast_(cast) {}

  void hear(const VersionUp& version, FrontOut& out);
  void hear(const AddPlayer& changed, FrontOut& out);
  /// It says who it is. True: it wants in.
  bool enter(const Enter& enter, FrontOut& out);
  /// The client keeps its number and may try again.
  void reject(Refusal reason, std::string_view why, FrontOut& out);

  /// Our client wants to be somebody else.
  bool changes() const { return changing_ != 0; }
  /// What it is now.
  void hear_own(const words::Player& player, FrontOut& out);
  void refuse_change(Refusal reason, std::string_view why, FrontOut& out);
  void check_change(FrontOut& out);

 private:
  void change(const std::string& name, const std::string& motto, std::optional<std::uint8_t> team, FrontOut& out);
  void confirm_change(FrontOut& out);

  Client& client_;
  Cast& cast_;
  core::Micros changing_ = 0;  // since when; 0: it does not
};

}  // namespace entente::bzdraft
