#include "bindings.h"
#include "data_parts.h"

namespace sluice::py {

void BindData(nb::module_& m) {
  BindPipeline(m);
  BindDataSources(m);
  BindSampling(m);
}

}  // namespace sluice::py
