// Airy's function Ai, the solution of y'' = x y that falls to 0 on the right,
// and its derivative, one number at a time. Thread safe.
#pragma once

namespace sluice {

double AiryAi(double x);
double AiryAiSlope(double x);

}  // namespace sluice
