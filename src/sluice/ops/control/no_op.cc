#include "sluice/op/record.h"

namespace sluice {

// The sample is the only possible call.
SL_OP(NoOp)
    .doc("Does nothing; a place for control edges to meet.")
    .shape(shapes::none)
    .cpu([](KernelContext&) { return OkStatus(); })
    .reference([](const std::vector<RefArray>&, const Attrs&) {
      return std::vector<RefArray>();
    })
    .samples({{.in = {}}});

}  // namespace sluice
