// Arbitrary X-Forwarded-For and Forwarded headers: the entry that a proxy appends names the client, whatever comes
// before it.
#include <cstdlib>
#include <string>

#include "proxy/net/proxies/forwarded.h"
#include "tests/fuzz/target.h"

namespace entente::forwarded_fuzz {

ENTENTE_FUZZ_TARGET(forwarded) {
  const std::string sent(reinterpret_cast<const char*>(data), size);
  const net::TrustedProxies proxies{{*net::Network::parse("10.0.0.0/8")}, net::ClientNaming::kForwarded};
  const auto client = [&](std::vector<net::HttpHeader> headers) {
    net::HttpHead head;
    head.headers = std::move(headers);
    return net::forwarded_client(head, proxies);
  };
  for (const char* name : {"X-Forwarded-For", "Forwarded"}) {
    const auto read = client({{name, sent}});
    if (read.ok() && read->wildcard()) std::abort();
    if (!read.ok() && read.error().offset > size) std::abort();
  }
  const auto is_real = [](const auto& found) { return found.ok() && found->text() == "192.0.2.7:0"; };
  if (!is_real(client({{"X-Forwarded-For", sent + ", 192.0.2.7, 10.0.0.1"}}))) std::abort();
  if (!is_real(client({{"Forwarded", sent}, {"Forwarded", "for=192.0.2.7"}}))) std::abort();
  const auto appended = client({{"Forwarded", sent + ", for=192.0.2.7"}});
  if (appended.ok() && !is_real(appended)) std::abort();
  return 0;
}

}  // namespace entente::forwarded_fuzz
