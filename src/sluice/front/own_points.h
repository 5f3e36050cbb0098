// OwnPoints: the values at which a function is differentiated. Every derivative
// makes a point of its own from each argument and asks for gradients with
// respect to these alone. So an argument that the function also reads another
// way, as a closure does, is a constant there for this derivative; and nested
// derivatives never take each other's steps for their own.
//
// A point leads back to the tensor it was made of, so that outer derivatives
// see through it: it is an Identity of it. Where nothing outside can ask, it is
// a leaf with the same elements. A variable's handle stands for itself,
// wherever it is read.
//
// Lives as long as one derivative is taken, on one thread.
#pragma once

#include <source_location>
#include <vector>

#include "sluice/eager/tensor.h"

namespace sluice::front_internal {

struct OwnPoints {
  std::vector<Tensor> at;
  std::vector<bool> made;  // a leaf that nobody outside knows

  // REQUIRES: before EnableGrad: whether calls are recorded decides.
  OwnPoints(const std::vector<Tensor>& xs, std::source_location where);

  // The derivative is taken.
  void Retire() const;
  // The derivative itself is part of what the program outside records.
  bool ReachBeyond(const std::vector<Tensor>& ys) const;
  // As the functions below, of its own leaves.
  void KeepIfBeyond(std::vector<Tensor>& ys,
                    const std::vector<Tensor>& others) const;
  std::vector<Tensor> Leaves() const;
};

// Part of a graph that no function is recorded into: it has no history.
inline bool IsDeferred(const Tensor& t) { return t.symbolic() && !t.traced(); }

// Says that nobody else asks for gradients at these leaves, which outer
// derivatives may still come upon.
void Retire(const std::vector<Tensor>& leaves);

// Whether gradients of one of the ys flow to a leaf that they may be asked for
// at and that is none of these.
bool ReachesBeyond(const std::vector<Tensor>& ys,
                   const std::vector<Tensor>& leaves);

// The same after branches and loops of a function being recorded, where only a
// run knows: what a derivative hands out beside its gradients keeps its history
// in the runs in which something of it, or of `others`, reaches beyond the
// leaves. REQUIRES: ReachesBeyond() of all of them.
void KeepIfBeyond(std::vector<Tensor>& ys, const std::vector<Tensor>& others,
                  const std::vector<Tensor>& leaves);

// As gradients() (front/autograd.h), for points that are no values of their own
// because the function reads them where they are: what flows into one does not
// flow on to another that it was made of. Zeros where nothing flows.
std::vector<Tensor> GradientsAt(const std::vector<Tensor>& ys,
                                const std::vector<Tensor>& points,
                                const std::vector<Tensor>& grad_ys,
                                std::source_location where);

// The same by the graph they are in, whatever the tape knows of them. No tensor
// where nothing flows.
std::vector<Tensor> GraphGradientsAt(const std::vector<Tensor>& ys,
                                     const std::vector<Tensor>& points,
                                     const std::vector<Tensor>& grad_ys,
                                     std::source_location where);

}  // namespace sluice::front_internal
