// "Did you mean": the known name nearest to an unknown one.
#pragma once

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

}  // namespace entente
