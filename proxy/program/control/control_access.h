// The commands allow, deny, unlist and access.
#pragma once

#include <functional>

#include "proxy/program/control/control.h"
#include "proxy/program/settings/ban_file.h"
#include "proxy/relay/admission/access.h"

namespace entente {

/// All arguments outlive the control. `kept`: the file of `listed`. `configured`: the lists of [access].
void add_access_commands(Control& control, relay::ListedNetworks& listed, KeptBans& kept,
                         std::function<relay::Access()> configured);

}  // namespace entente
