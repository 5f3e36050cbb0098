#include "sluice/op/record.h"

namespace sluice {

// The one sample is the only call there is.
SL_OP(NoOp)
    .doc("Does nothing; a place for control edges to meet.")
    .shape(shapes::none)
    .cpu([](KernelContext&) { return OkStatus(); })
    .reference([](const std::vector<RefArray>&, const Attrs&) {
      return std::vector<RefArray>();
    })
    .samples({{.in = {}}});

}  // namespace sluice
