// The reasons of the mapping table, where a session needs one.
#pragma once

#include "proxy/core/session.h"

namespace entente::ogar {

/// Counts a word that no message of Ogar says, with the reason that its line in the table gives.
void lose(const core::Intent& intent, core::BackOut& out);
void lose(const core::Fact& fact, core::FrontOut& out);

}  // namespace entente::ogar
