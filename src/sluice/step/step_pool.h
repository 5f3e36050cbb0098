// Steps that are kept with their plan to be used again: a run borrows one.
// Thread safe.
#pragma once

#include <memory>

#include "sluice/step/step.h"

namespace sluice {

std::unique_ptr<Step> AcquireStep(const Plan& plan);
// A step that is broken goes.
void ReleaseStep(const Plan& plan, std::unique_ptr<Step> step);

}  // namespace sluice
