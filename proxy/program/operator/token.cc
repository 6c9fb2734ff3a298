#include "proxy/program/operator/token.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <utility>

#include "proxy/net/secret.h"

namespace entente {
namespace {

constexpr std::size_t kShortestToken = 32, kLongestToken = 256;

bool is_visible(char c) { return c > ' ' && c <= '~'; }

}  // namespace

Outcome<std::string> read_token(const std::string& path) {
  using std::filesystem::perms;
  std::error_code failed;
  const auto status = std::filesystem::status(path, failed);
  if (std::filesystem::is_directory(status)) return Error{path + " is a folder; it must be a file with a token"};
  std::ifstream file(path);
  if (!file) return Error{"cannot read the token in " + path + ": " + std::strerror(errno)};
  if ((status.permissions() & perms::others_read) != perms::none)
    return Error{"everybody on this machine can read the token in " + path + "; chmod o-r " + path};
  std::string token(kLongestToken + 2, '\0');
  file.read(token.data(), static_cast<std::streamsize>(token.size()));
  token.resize(static_cast<std::size_t>(file.gcount()));
  token.resize(std::min(token.find_first_of("\r\n"), token.size()));
  if (token.size() < kShortestToken || token.size() > kLongestToken ||
      !std::all_of(token.begin(), token.end(), is_visible))
    return Error{"the first line of " + path + " must be a token: " + std::to_string(kShortestToken) + " to " +
                 std::to_string(kLongestToken) + " letters, digits and punctuation marks, without blanks"};
  return token;
}

TokenGuard::Verdict TokenGuard::check(const net::Address& from, std::string_view token, Millis now) {
  if (is_right(token)) return Verdict::kRight;
  return bucket_of(from.unmapped().host_key(), now).take_one(now) ? Verdict::kWrong : Verdict::kTooMany;
}

bool TokenGuard::is_right(std::string_view token) const {
  const std::lock_guard lock(mutex_);
  return net::same_secret(token, token_);
}

bool TokenGuard::renew(std::string token) {
  const std::lock_guard lock(mutex_);
  return std::exchange(token_, std::move(token)) != token_;
}

relay::Bucket& TokenGuard::bucket_of(const net::Address& host, Millis now) {
  if (const auto known = known_.find(host); known != known_.end()) return known->second;
  if (known_.size() >= kMostKnown) std::erase_if(known_, [now](const auto& one) { return one.second.full(now); });
  if (known_.size() >= kMostKnown) return others_;
  return known_.try_emplace(host, kWrongPerSecond, kWrongBurst, now).first->second;
}

}  // namespace entente
