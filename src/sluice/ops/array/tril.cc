#include "sluice/op/batch_rules.h"
#include "sluice/op/grad_context.h"
#include "sluice/ops/array/triangle.h"

namespace sluice {

SL_OP(Tril)
    .doc(
        "The last two axes as matrices of which only the elements on and below "
        "a diagonal stay; the others are 0.")
    .input("x: T")
    .output("y: T")
    .types("T", kPlain)
    .attr("k", 0, "The diagonal: 0 the main one, positive above it.")
    .shape(triangle::shape)
    .grad([](GradContext& g) {
      g.set_dx(0, g.call("Tril", {g.dy()}, g.attrs()));
    })
    .batch(batch_rules::leading)
    .cpu(triangle::kernel<true>)
    .in_place()
    .fails_for_sizes_only()
    .reference(triangle::reference<true>)
    .samples(triangle::Samples())
    .rejects(triangle::Rejects("Tril"));

}  // namespace sluice
