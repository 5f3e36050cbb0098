#include "sluice/data/dataset.h"

#include "sluice/base/strings.h"

namespace sluice::data::data_internal {

void WantComponents(const Element& element, size_t n) {
  if (element.size() == n) return;
  throw Error(InvalidArgument(StrCat("[data] an element is (", TypesOf(element),
                                     "); wanted ", n, " components")));
}

}  // namespace sluice::data::data_internal
