// Arbitrary PROXY headers. Invariant: a header is read the same whatever follows it, and can be written and read again.
#include <cstdlib>

#include "proxy/net/proxies/proxy_header.h"
#include "tests/fuzz/target.h"

namespace entente::proxy_header_fuzz {

ENTENTE_FUZZ_TARGET(proxy_header) {
  const auto read = net::read_proxy_header({data, size});
  if (!read.ok() || !read->has_value()) return 0;
  const net::ProxyHeader& header = **read;
  if (header.size > size) std::abort();
  const auto exact = net::read_proxy_header({data, header.size});
  if (!exact.ok() || !exact->has_value() || (*exact)->client != header.client) std::abort();
  if (!header.client) return 0;
  for (const auto version : {net::ProxyVersion::kV1, net::ProxyVersion::kV2}) {
    Buffer out;
    net::append_proxy_header(out, version, header.client, *header.client);
    const auto again = net::read_proxy_header(out);
    if (!again.ok() || !again->has_value() || (*again)->client != header.client) std::abort();
  }
  return 0;
}

}  // namespace entente::proxy_header_fuzz
