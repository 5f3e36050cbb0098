// The effect of one update on one element, for the references of scatter ops.
#pragma once

namespace sluice::scatter_reference {

inline void Update(double& y, double u) { y = u; }
inline void Add(double& y, double u) { y += u; }
inline void Sub(double& y, double u) { y -= u; }
inline void Mul(double& y, double u) { y *= u; }
inline void Min(double& y, double u) { y = u < y ? u : y; }
inline void Max(double& y, double u) { y = u > y ? u : y; }

}  // namespace sluice::scatter_reference
