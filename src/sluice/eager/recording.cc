#include "sluice/eager/recording.h"

#include "sluice/base/strings.h"
#include "sluice/eager/scope.h"

namespace sluice {

constinit thread_local Recording* Recording::current_ = nullptr;

bool Recording::IsOpen() const {
  return front_internal::Building::Current().graph == &graph_;
}

std::string RecordingIsOver(const EagerValue& value) {
  return StrCat(value.Describe(),
                " belongs to a captured function whose recording is over; "
                "wanted it among the function's results");
}

}  // namespace sluice
