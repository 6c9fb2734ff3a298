// Errors about names and values that a person wrote: what is known or expected, and "did you mean".
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace entente {

/// The nearest of `known` to `word`, or "" if none is near.
std::string_view nearest(std::string_view word, std::span<const std::string_view> known);

/// " (did you mean 'x'?)", or "" if nothing is near.
std::string did_you_mean(std::string_view word, std::span<const std::string_view> known);

/// "a, b, c"
std::string joined(std::span<const std::string_view> words);

/// "unknown game 'bzflg' (did you mean 'bzflag'?); games: aos, bzflag". `of` stands after the name: " of bzflag".
std::string unknown_name(const std::string& kind, std::string_view name, std::span<const std::string_view> known,
                         const std::string& of = "");

/// "expected info, warn or off, got 'wran' (did you mean 'warn'?)"
std::string expected_one_of(std::span<const std::string_view> words, std::string_view got);

/// "expected an integer from 1 to 64 threads, got 0". `unit` may be empty; `got` is as it is to be shown.
std::string expected_integer(std::int64_t least, std::int64_t most, std::string_view unit, std::string_view got);

}  // namespace entente
