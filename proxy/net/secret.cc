#include "proxy/net/secret.h"

#include <fcntl.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <optional>

#include "proxy/net/fd.h"

namespace entente::net {
namespace {

constexpr std::size_t kKeyDigits = 32;  // machine-id(5)

/// nullopt: the file is missing, cannot be read, or has no id.
std::optional<std::string> machine_id() {
  std::string id(kKeyDigits, '\0');
  const Fd file(::open("/etc/machine-id", O_RDONLY | O_CLOEXEC));
  if (!file || ::read(file.get(), id.data(), id.size()) != static_cast<ssize_t>(id.size())) return std::nullopt;
  return id;
}

}  // namespace

bool same_secret(std::string_view a, std::string_view b) {
  return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

std::string machine_key() {
  if (auto id = machine_id()) return *id;
  std::string key(kKeyDigits, '\0');
  if (RAND_bytes(reinterpret_cast<unsigned char*>(key.data()), static_cast<int>(key.size())) != 1) std::abort();
  return key;
}

bool has_lasting_machine_key() { return machine_id().has_value(); }

std::uint16_t secret_number() {
  std::array<unsigned char, sizeof(std::uint16_t)> bytes{};
  if (RAND_bytes(bytes.data(), static_cast<int>(bytes.size())) != 1) std::abort();
  return static_cast<std::uint16_t>(bytes[0] << 8 | bytes[1]);
}

std::uint64_t keyed_hash(std::string_view key, Bytes bytes) {
  std::array<std::uint8_t, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()), bytes.data(), bytes.size(), digest.data(), &size);
  std::uint64_t hash = 0;
  std::memcpy(&hash, digest.data(), sizeof hash);
  return hash;
}

std::string signature(std::string_view key, std::string_view text) {
  std::array<std::uint8_t, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()), reinterpret_cast<const unsigned char*>(text.data()),
       text.size(), digest.data(), &size);
  std::string hex;
  constexpr std::string_view kDigits = "0123456789abcdef";
  for (unsigned i = 0; i < size; ++i) (hex += kDigits[digest[i] / 16]) += kDigits[digest[i] % 16];
  return hex;
}

}  // namespace entente::net
