// Merge: the first of its inputs that is alive.
#include "sluice/op/record.h"

namespace sluice {

namespace {

Status Infer(ShapeContext& c) {
  if (c.num_inputs() == 0) return c.Error("takes at least 1 input, got 0");
  PartialShape shape = c.in(0);
  for (int i = 1; i < c.num_inputs(); ++i) shape = JoinShapes(shape, c.in(i));
  c.set_out(0, shape);
  c.set_out(1, Shape());
  return OkStatus();
}

}  // namespace

SL_OP(Merge)
    .doc(
        "Passes on the first input that is alive, and which one it was. In a "
        "loop the inputs are what enters and what the iteration before gave.")
    .input("xs: T*")
    .output("y: T")
    .output("index: i32")
    .types("T", kAnything)
    .shape(Infer)
    .flow(Flow::kMerge);

}  // namespace sluice
