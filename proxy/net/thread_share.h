// How a thread shares a processor core with others if it has to, and the name of a thread that others have started.
// take_short_turns() and give_way() are hints: they need no privileges, fail without harm, such as where a service
// manager forbids them, and change nothing as long as there are enough cores.
#pragma once

namespace entente::net {

/// Names this thread, if something else than named_thread() has started it. Up to 15 letters.
void name_this_thread(const char* name);

/// This thread gets the core soon when it wakes, and gives it back soon: for a loop that serves players. Without it,
/// Linux lets another busy thread of the same core go on for some milliseconds first. From Linux 6.12 on.
void take_short_turns();

/// This thread lets others go first: it does not interrupt them when it wakes, and gets less of a busy core the higher
/// `nice` is (a fourth of it at 5, beside one other thread). So it is late, but never starved.
void give_way(int nice);

}  // namespace entente::net
