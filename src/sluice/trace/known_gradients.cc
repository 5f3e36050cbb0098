#include "sluice/trace/known_gradients.h"

#include "sluice/base/error.h"
#include "sluice/base/strings.h"
#include "sluice/trace/grad_arrivals.h"
#include "sluice/trace/inside_vmap.h"

namespace sluice::front_internal {

namespace {

// Whether gradients flow through y at all.
void CheckFlows(Capture& capture, const EagerRef& y, bool or_fail) {
  // If only loops decide, assume that they run at least one iteration.
  FlowWhen flow = capture.FlowOf(*y);
  for (const Value& when : flow.any) {
    if (or_fail || !SaidByBranch(when)) continue;
    capture.CheckFlowKnown(*y, "autograd.grad");
  }
  if (!flow.open()) return;
  capture.TakeForGranted(
      capture.AnyOf(flow),
      StrCat("grad: ", y->Describe(), ", does not require gradients"));
}

// Whether gradients of y reach x.
void CheckReaches(Capture& capture, const EagerRef& y,
                  const GradArrivals& arrivals, const EagerRef& x,
                  bool or_fail) {
  FlowWhen when = arrivals.Of(*x);
  if (!when.open()) return;
  bool loop = or_fail;
  for (const Value& one : when.any) loop = loop || !SaidByBranch(one);
  if (loop) {
    return capture.TakeForGranted(
        capture.AnyOf(when),
        StrCat("grad: ", y->Describe(), ", has no gradient with respect to ",
               x->Describe()));
  }
  throw Error(Unimplemented(
      StrCat("autograd.grad: whether ", y->Describe(),
             ", has a gradient with respect to ", x->Describe(),
             ", depends on the branch taken, which a captured function does "
             "not know while it is recorded; wanted one on every way")));
}

}  // namespace

void CheckGradientsKnown(const std::vector<Tensor>& ys,
                         const std::vector<Tensor>& xs, bool or_fail) {
  Capture* capture = Capture::Open();
  if (!capture || InsideVmap()) return;
  for (const Tensor& y : ys) {
    EagerRef value = capture->ValueOf(y);
    capture->Now(*value);
    CheckFlows(*capture, value, or_fail);
    GradArrivals arrivals(*capture, {&value, 1}, 0);
    if (arrivals.all_known()) continue;
    for (const Tensor& x : xs) {
      EagerRef to = capture->ValueOf(x);
      capture->Now(*to);
      CheckReaches(*capture, value, arrivals, to, or_fail);
    }
  }
}

}  // namespace sluice::front_internal
