#include "proxy/net/secret.h"

#include <openssl/crypto.h>

namespace entente::net {

bool same_secret(std::string_view a, std::string_view b) {
  return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

}  // namespace entente::net
