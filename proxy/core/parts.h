// How a room member made of parts hands them what it hears: a part takes a message or a word by having hear() for it.
#pragma once

namespace entente::core {

template <class Part, class Heard, class Out>
concept Hears = requires(Part& part, const Heard& heard, Out& out) {
  part.hear(heard, out);
};

/// Hands it to each part that hears such a thing, in the order of the parts.
template <class Heard, class Out, class... Parts>
void hand(const Heard& heard, Out& out, Parts&... parts) {
  const auto each = [&]<class Part>(Part& part) {
    if constexpr (Hears<Part, Heard, Out>) part.hear(heard, out);
  };
  (each(parts), ...);
}

/// Whether at least one of the parts hears such a thing.
template <class Heard, class Out, class... Parts>
inline constexpr bool kOneHears = (Hears<Parts, Heard, Out> || ...);

}  // namespace entente::core
