// Watches what a fuzz target works and keeps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>

namespace entente::fuzz {

/// Runs the target with this input. Ends the process if it exceeds its row of proxy/program/bounds.cc, or has none.
int watched(std::string_view target, const std::function<int(const std::uint8_t*, std::size_t)>& run,
            const std::uint8_t* data, std::size_t size);

/// The worst inputs so far, of the last target: steps and bytes beyond those of a byte. For the author of a row.
void print_worst();

}  // namespace entente::fuzz
