// Compares secrets, computes hashes and draws numbers that others cannot foresee, and signs.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "proxy/base/bytes.h"

namespace entente::net {

/// Whether they are equal. The time that it takes reveals only their lengths.
bool same_secret(std::string_view a, std::string_view b);

/// A key that is the same in every run on this machine, and that nobody elsewhere knows: made from its
/// /etc/machine-id. Without that file, another one for each process.
std::string machine_key();

/// Whether machine_key() is the same in every run.
bool has_lasting_machine_key();

/// A number that nobody can foresee.
std::uint16_t secret_number();

/// A hash that nobody can foresee or find collisions of without the key (HMAC-SHA-256, cut).
std::uint64_t keyed_hash(std::string_view key, Bytes bytes);

/// The HMAC-SHA-256 (RFC 2104) of a text, in lower-case hexadecimal digits.
std::string signature(std::string_view key, std::string_view text);

}  // namespace entente::net
