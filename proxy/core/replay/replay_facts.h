// A recorded fact, made fit for people who were not there: what is kept from them, and how fast what moves is shown.
// Law: nothing here knows a room or a time but those it is handed.
#pragma once

#include "proxy/base/mapping.h"
#include "proxy/core/word.h"

namespace entente::core {

/// Said to the recorded player about its own coming, going and looking: who watches has its own.
bool is_his_own(const Fact& fact);

/// Why `fact` is not for who watches, a literal; null if it is. What is true of the recorded player's units (their
/// health, his ammunition) is.
const Mapping* kept_back(const Fact& fact);

/// Told to everybody, without what was its server's operators' business, and without "me".
void make_public(Fact& fact);

/// Motion `by` times as fast. REQUIRES: more than 0 for what flies.
void scale_motion(Fact& fact, double by);

/// Where a unit last told of at `posed` has come to by `now`; after a second without a word it is taken to stand.
words::Pose drive(const words::Pose& pose, Micros posed, Micros now);

/// Where a shot told at `fired` has come to by `now`, and how long it still lives.
void fly(words::Shot& shot, Micros fired, Micros now);

}  // namespace entente::core
