#include "sluice/cluster/messages.h"

namespace sluice::cluster {

Status WireStatus::ToStatus() const {
  if (code == Code::kOk) return OkStatus();
  // A code that this version does not know.
  if (code > Code::kUnavailable) return Status(Code::kInternal, message);
  return Status(code, message);
}

}  // namespace sluice::cluster
