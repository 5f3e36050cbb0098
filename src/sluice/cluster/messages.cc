#include "sluice/cluster/messages.h"

namespace sluice::cluster {

Status WireStatus::ToStatus() const {
  if (code == Code::kOk) return OkStatus();
  // An error code of a later version.
  if (code > Code::kUnavailable) return Status(Code::kInternal, message);
  return Status(code, message);
}

}  // namespace sluice::cluster
