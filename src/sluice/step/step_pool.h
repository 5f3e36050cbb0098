// Idle steps, kept with their plan for reuse: a run borrows one. Thread safe.
#pragma once

#include <memory>

#include "sluice/step/step.h"

namespace sluice {

std::unique_ptr<Step> AcquireStep(const Plan& plan);
// Destroys the step if it is broken.
void ReleaseStep(const Plan& plan, std::unique_ptr<Step> step);

}  // namespace sluice
