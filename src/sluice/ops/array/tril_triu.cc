// Tril and Triu.
#include "sluice/op/batch_rules.h"
#include "sluice/op/grad_context.h"
#include "sluice/ops/array/triangle.h"
#include "sluice/ops/family.h"

namespace sluice {
namespace {

OpDefinition& Triangle(OpDefinition&& op, std::string_view name) {
  return op.input("x: T")
      .output("y: T")
      .types("T", kPlain)
      .attr("k", 0, "The diagonal: 0 the main one, positive above it.")
      .shape(triangle::shape)
      .grad([](GradContext& g) {
        g.set_dx(0, g.call(g.op().name, {g.dy()}, g.attrs()));
      })
      .batch(batch_rules::leading)
      .in_place()
      .fails_for_sizes_only()
      .samples(triangle::Samples())
      .rejects(triangle::Rejects(name));
}

}  // namespace

SL_OP_OF(Tril, Triangle)
    .doc(
        "The last two axes as matrices of which only the elements on and below "
        "a diagonal stay; the others are 0.")
    .cpu(triangle::kernel<true>)
    .reference(triangle::reference<true>);

SL_OP_OF(Triu, Triangle)
    .doc(
        "The last two axes as matrices of which only the elements on and above "
        "a diagonal stay; the others are 0.")
    .cpu(triangle::kernel<false>)
    .reference(triangle::reference<false>);

}  // namespace sluice
