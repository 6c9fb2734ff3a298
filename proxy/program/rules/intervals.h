// 95 % intervals of what was counted.
#pragma once

#include <cstddef>

namespace entente {

struct Interval {
  double low = 0, high = 0;
};

/// Of a share: `part` of `all`, by Wilson. Without any, from 0 to 1.
Interval share_interval(std::size_t part, std::size_t all);

/// Of the expected number of independent events, of which `count` were seen (Poisson; exact, by Garwood).
Interval count_interval(std::size_t count);

}  // namespace entente
