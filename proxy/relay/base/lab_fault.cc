#include "proxy/relay/base/lab_fault.h"

namespace entente::relay {

const char* text(LabFault fault) {
  switch (fault) {
    case LabFault::kLoss:
      return "loss";
    case LabFault::kDup:
      return "dup";
    case LabFault::kReorder:
      return "reorder";
    case LabFault::kDelay:
      return "delay";
    case LabFault::kStall:
      return "stall";
    case LabFault::kReset:
      return "reset";
    case LabFault::kSlice:
      return "slice";
    case LabFault::kFull:
      return "full";
    case LabFault::kDrop:
      return "drop";
    case LabFault::kHold:
      return "hold";
    case LabFault::kDuplicate:
      return "duplicate";
    case LabFault::kCorrupt:
      return "corrupt";
    case LabFault::kCut:
      return "cut";
    case LabFault::kCount:
      break;
  }
  return "?";
}

}  // namespace entente::relay
