// Calls user code from a pipeline: imperatively and without gradients, whatever
// the requesting program is doing (building a graph, recording a function).
// Exceptions become a Status.
#pragma once

#include <exception>
#include <functional>
#include <string>

#include "sluice/base/status.h"

namespace sluice::data {

// `who` starts the message: the stage and the element.
Status RunPlainly(const std::function<void()>& code,
                  const std::function<std::string()>& who);

}  // namespace sluice::data
