#include "proxy/program/settings/token.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "proxy/net/fd.h"
#include "proxy/net/local_acceptor.h"
#include "proxy/net/secret.h"

namespace entente {
namespace {

constexpr std::size_t kShortestToken = 32, kLongestToken = 256;

bool is_visible(char c) { return c > ' ' && c <= '~'; }

}  // namespace

Outcome<std::string> read_token(const std::string& path) {
  const net::Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));  // a pipe must not make us wait
  struct stat about {};
  if (!file || ::fstat(file.get(), &about) != 0)
    return Error{"cannot read the token in " + path + ": " + std::strerror(errno)};
  if (S_ISDIR(about.st_mode)) return Error{path + " is a folder; it must be a file with a token"};
  if (!S_ISREG(about.st_mode)) return Error{path + " is not a file; it must be a file with a token"};
  if ((about.st_mode & S_IROTH) != 0)
    return Error{"everybody on this machine can read the token in " + path + "; chmod o-r " + path};
  if ((about.st_mode & S_IWOTH) != 0)
    return Error{"everybody on this machine can change the token in " + path + "; chmod o-w " + path};
  if (!net::is_trusted_user(about.st_uid))
    return Error{path +
                 " belongs to another user, who knows the token in it; it must belong to the user of Entente, or "
                 "to root"};
  std::string token(kLongestToken + 2, '\0');
  const ssize_t size = ::read(file.get(), token.data(), token.size());
  token.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
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
