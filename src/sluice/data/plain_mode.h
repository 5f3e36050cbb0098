// Calling user code from a pipeline: imperatively, without gradients, whatever
// the program that asks for elements is doing (building a graph, recording a
// function); what it throws becomes a Status.
#pragma once

#include <exception>
#include <functional>
#include <string>

#include "sluice/base/status.h"

namespace sluice::data {

// `who` begins the message: the stage and the element.
Status RunPlainly(const std::function<void()>& code,
                  const std::function<std::string()>& who);

}  // namespace sluice::data
