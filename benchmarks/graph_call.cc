#include "benchmarks/graph_call.h"

#include <cmath>

#include "sluice/base/error.h"
#include "sluice/base/random.h"
#include "sluice/base/strings.h"
#include "sluice/eager/call.h"
#include "sluice/eager/constants.h"
#include "sluice/eager/scope.h"
#include "sluice/op/registry.h"
#include "sluice/tensor/dispatch.h"

namespace sluice::bench {

Result<GraphCall> GraphCall::Make(std::vector<CallInput> inputs,
                                  const Build& build) try {
  GraphCall made;
  made.graph_ = std::make_unique<Graph>("bench");
  std::vector<Fetch> fed, fetched;
  {
    GraphScope building(*made.graph_);
    std::vector<Tensor> tensors;
    for (CallInput& in : inputs) {
      if (in.constant) {
        tensors.push_back(constant(in.value));
        continue;
      }
      Value value =
          ValueOrThrow(made.graph_->Add(made.graph_->root(), "Placeholder", {},
                                        {{"dtype", in.value.dtype()},
                                         {"shape", in.value.shape()}}))
              ->output();
      tensors.emplace_back(*made.graph_, value);
      fed.push_back(tensors.back());
      made.feeds_.push_back(in.value);
    }
    for (const Tensor& t : build(tensors)) {
      if (!made.first_.defined()) made.first_ = t;
      fetched.push_back(t);
    }
  }
  made.session_ = std::make_unique<Session>(*made.graph_);
  made.callable_ = made.session_->prepare(fetched, fed);
  made.Run();
  return made;
} catch (const Error& error) {
  return Status(error.code(), error.what());
}

Result<GraphCall> GraphCall::Op(const std::string& op,
                                std::vector<CallInput> inputs,
                                const Attrs& attrs) {
  if (!FindOp(op)) return NotFound(StrCat("no op ", op));
  return Make(std::move(inputs), [&](const std::vector<Tensor>& in) {
    return call(op, in, attrs);
  });
}

Array RandomInput(DType dtype, const Shape& shape, double lo, double hi,
                  uint64_t seed) {
  Array a = Array::Zeros(dtype, shape);
  bool whole = !IsFloating(dtype) && dtype != DType::kC64;
  DispatchAll(dtype, [&]<class T>() {
    for (int64_t i = 0; i < a.num_elements(); ++i) {
      uint64_t bits = RandomKey::Mix(seed << 40 ^ static_cast<uint64_t>(i));
      double v = lo + (hi - lo) * static_cast<double>(bits >> 11) * 0x1p-53;
      if (whole) v = std::floor(v);
      T& to = a.mutable_data<T>()[i];
      if constexpr (std::is_same_v<T, std::string>) {
        to = std::to_string(static_cast<int64_t>(v));
      } else if constexpr (std::is_same_v<T, bool>) {
        to = bits >> 63;
      } else if constexpr (std::is_integral_v<T>) {
        to = static_cast<T>(v);
      } else {
        to = T(static_cast<float>(v));
      }
    }
  });
  return a;
}

}  // namespace sluice::bench
