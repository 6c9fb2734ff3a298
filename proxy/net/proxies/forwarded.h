// The client's address as HTTP proxies tell it: X-Forwarded-For, and Forwarded (RFC 7239).
// Invariant: each proxy appends the address that it was asked from, so a header is read from its end. The first address
// that is not a trusted proxy's is the client's. Everything before it came from the client, and is ignored.
#pragma once

#include "proxy/net/proxies/trusted_proxies.h"
#include "proxy/net/web/http.h"

namespace entente::net {

/// The address of the client of a request; port 0 if the headers name none. If all addresses are trusted, the first
/// one. If both headers are there, both must name this address: a proxy that writes one of them may pass on the other
/// as the client sent it. Empty entries of a list are skipped (RFC 9110, 5.6.1.2). A fault's offset is in the value of
/// that header.
Result<Address> forwarded_client(const HttpHead& request, const TrustedProxies& proxies);

}  // namespace entente::net
