#include "sluice/io/named_arrays.h"

#include "sluice/base/error.h"
#include "sluice/base/strings.h"
#include "sluice/eager/call_device.h"

namespace sluice::io {

std::vector<NamedArray> ArraysOf(const StateDict& state) {
  std::vector<NamedArray> arrays;
  arrays.reserve(state.size());
  for (const auto& [name, tensor] : state) {
    if (!tensor.defined() || tensor.symbolic() || tensor.is_sparse()) {
      throw Error(
          InvalidArgument(StrCat("tensor \"", EscapeString(name), "\" ",
                                 !tensor.defined()   ? "holds nothing"
                                 : tensor.symbolic() ? "is part of a graph"
                                                     : "is sparse",
                                 "; wanted one whose elements are there")));
    }
    arrays.push_back({name, ValueOrThrow(OnHost(tensor.array()))});
  }
  return arrays;
}

StateDict StateOf(std::vector<NamedArray> arrays) {
  StateDict state;
  for (NamedArray& a : arrays) {
    state.set(a.name, Tensor(MakeRef<EagerValue>(std::move(a.array))));
  }
  return state;
}

}  // namespace sluice::io
