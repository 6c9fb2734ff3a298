#include "adapters/wire/md5.h"

#include <openssl/evp.h>

#include <memory>

namespace entente::wire {

std::array<std::uint8_t, 16> md5(Bytes bytes) {
  // Also where OpenSSL is configured to offer only what is secure.
  static const std::unique_ptr<EVP_MD, decltype(&EVP_MD_free)> kMd5{EVP_MD_fetch(nullptr, "MD5", "-fips"), EVP_MD_free};
  std::array<std::uint8_t, 16> digest{};
  EVP_Digest(bytes.data(), bytes.size(), digest.data(), nullptr, kMd5.get(), nullptr);
  return digest;
}

}  // namespace entente::wire
