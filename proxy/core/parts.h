// Dispatches messages and words to the parts of a room member. A part receives a type if it has hear() for it.
//
//   hand(*heard.message, out, players_, shots_, flags_);   // shots_ has void hear(const ShotBegin&, BackOut&)
#pragma once

namespace entente::core {

/// Whether a part has hear() for this type.
template <class Part, class Heard, class Out>
concept Hears = requires(Part& part, const Heard& heard, Out& out) {
  part.hear(heard, out);
};

/// Passes `heard` to each part that has hear() for its type, in the order of the parts.
template <class Heard, class Out, class... Parts>
void hand(const Heard& heard, Out& out, Parts&... parts) {
  const auto each = [&]<class Part>(Part& part) {
    if constexpr (Hears<Part, Heard, Out>) part.hear(heard, out);
  };
  (each(parts), ...);
}

/// Whether at least one of the parts has hear() for this type.
template <class Heard, class Out, class... Parts>
inline constexpr bool kOneHears = (Hears<Parts, Heard, Out> || ...);

}  // namespace entente::core
