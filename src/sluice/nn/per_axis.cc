#include "sluice/nn/per_axis.h"

#include <algorithm>

#include "sluice/base/error.h"
#include "sluice/base/strings.h"

namespace sluice::nn {

PerAxis PerAxis::Of(size_t axes, int64_t least, const std::string& what) const {
  if (sizes_.size() != 1 && sizes_.size() != axes) {
    throw Error(InvalidArgument(
        StrCat(what, " has ", sizes_.size(), " numbers; wanted ",
               axes == 1 ? "one" : StrCat("one or ", axes))));
  }
  std::vector<int64_t> each = sizes_;
  each.resize(axes, sizes_[0]);
  for (int64_t size : each) {
    if (size < least) {
      throw Error(InvalidArgument(
          StrCat(what, " is ", *this, "; wanted at least ", least)));
    }
  }
  return each;
}

bool PerAxis::all(int64_t size) const {
  return std::all_of(sizes_.begin(), sizes_.end(),
                     [&](int64_t s) { return s == size; });
}

std::string PerAxis::ToString() const {
  if (!sizes_.empty() && all(sizes_[0])) return StrCat(sizes_[0]);
  return StrCat("(", Join(sizes_, ", "), ")");
}

}  // namespace sluice::nn
