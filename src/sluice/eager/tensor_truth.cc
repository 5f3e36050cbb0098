// What a tensor means in `if`, `while`, `&&`, `||` and `!`: its one element.
#include "sluice/base/error.h"
#include "sluice/base/strings.h"
#include "sluice/eager/call_device.h"
#include "sluice/eager/tensor.h"
#include "sluice/graph/node.h"
#include "sluice/tensor/dispatch.h"

namespace sluice {

namespace {

// Throws: while a graph is recorded there is nothing yet that could decide.
[[noreturn]] void ThrowUndecided(const std::string& value) {
  throw Error(FailedPrecondition(StrCat(
      value,
      ", is part of a graph: it has no value yet that could decide an if, a "
      "while, &&, || or !; wanted cond() or while_loop(), logical_and(), "
      "logical_or() or logical_not()")));
}

}  // namespace

Tensor::operator bool() const {
  if (traced()) ThrowUndecided(eager_->Describe());
  if (value_.node) {
    const SourceLine& line = value_.node->line();
    ThrowUndecided(
        StrCat("\"", value_.ToString(), "\" (", value_.type().ToString(),
               line.known() ? StrCat(", made at ", line.ToString()) : "", ")"));
  }
  const Array a = ValueOrThrow(OnHost(array()));
  if (a.num_elements() != 1) {
    throw Error(InvalidArgument(
        StrCat(eager_->Describe(), ", is ", a.TypeText(),
               " and neither true nor false; wanted one element, as any() and "
               "all() give")));
  }
  bool truth = false;
  bool known = DispatchAll(a.dtype(), [&]<class T>() {
    if constexpr (std::is_same_v<T, std::string>) {
      truth = !a.data<T>()->empty();
    } else {
      truth = *a.data<T>() != T(0);
    }
  });
  if (!known) {
    throw Error(InvalidArgument(
        StrCat(a.TypeText(), " is neither true nor false; wanted a number")));
  }
  return truth;
}

}  // namespace sluice
