// Decides what replaces a text or an address, by what it holds.
// Invariant: a text stays only if the user asked to keep it, or if it is certain that no person wrote it.
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "adapters/wire/personal.h"
#include "proxy/base/secret_echoes.h"
#include "proxy/program/redact/pseudonyms.h"

namespace entente {

/// What `--keep` can name.
enum class PersonalGroup : std::uint8_t {
  kNames,
  kChat,
  kPasswords,
  kTokens,
  kAddresses,
  kHosts,
  kMottos,
  kTexts,
  kCount
};

inline constexpr std::size_t kPersonalGroups = static_cast<std::size_t>(PersonalGroup::kCount);
using PersonalGroups = std::bitset<kPersonalGroups>;

/// "names", "chat" …
const char* text(PersonalGroup kind);

class Censor {
 public:
  explicit Censor(PersonalGroups keep);

  /// What replaces a text of this kind; none: it stays. Both are in UTF-8. In a text that
  /// `--keep` names, only what is personal is replaced; if it has more than 64 KiB, all of it. REQUIRES: a kind of
  /// text.
  std::optional<std::string> text(wire::Personal kind, std::string_view text);
  Pseudonyms::Ip4 ip4(const Pseudonyms::Ip4& ip);
  std::uint16_t port(std::uint16_t port);
  /// Redacts a remark that Entente wrote: only words that Entente itself uses are kept. What follows the first 4 KiB
  /// becomes "_".
  std::string remark(std::string_view text);

  /// What follows is of this link; 0: of none. A secret that somebody wrote in a session is replaced wherever it is
  /// repeated there.
  void at_link(std::uint32_t link) { link_ = link; }
  /// Nothing follows of this link.
  void closed(std::uint32_t link) { echoes_.erase(link); }

  /// Something with the MD5 `was` was changed, and now has the MD5 `is`.
  void hash_became(const std::string& was, const std::string& is) { hashes_[was] = is; }

  /// Begins to count again, from 0.
  void count_anew() { replaced_ = {}; }
  /// Texts and addresses that were replaced.
  std::uint64_t replaced(PersonalGroup kind) const { return replaced_[static_cast<std::size_t>(kind)]; }
  const Pseudonyms& pseudonyms() const { return pseudonyms_; }

 private:
  bool keeps(PersonalGroup kind) const { return keep_.test(static_cast<std::size_t>(kind)); }
  void count(PersonalGroup kind) { ++replaced_[static_cast<std::size_t>(kind)]; }
  std::string replaced(PersonalGroup kind, std::string with) {
    count(kind);
    return with;
  }
  std::optional<std::string> name(std::string_view text);
  std::optional<std::string> written(PersonalGroup kind, std::string_view text, std::string with);
  std::string without_arguments(std::string_view text);
  std::optional<std::string> hash(std::string_view text) const;

  const PersonalGroups keep_;
  Pseudonyms pseudonyms_;
  std::set<std::string, std::less<>> vocabulary_;
  std::map<std::string, std::string, std::less<>> hashes_;
  std::uint32_t link_ = 0;
  std::map<std::uint32_t, SecretEchoes> echoes_;  // by link
  std::array<std::uint64_t, kPersonalGroups> replaced_{};
};

}  // namespace entente
