#include "sluice/eager/data_alias.h"

#include "sluice/base/error.h"
#include "sluice/base/strings.h"
#include "sluice/eager/recording.h"
#include "sluice/eager/view_write.h"
#include "sluice/op/carries_gradient.h"

namespace sluice {

namespace {

Status Check(const Tensor& tensor, const Tensor& data) {
  if (!tensor.defined() || !data.defined()) {
    return InvalidArgument("data: a Tensor that holds nothing");
  }
  if (tensor.symbolic() || data.symbolic()) {
    return Unimplemented(
        "data: a tensor cannot be given other memory in a graph; wanted "
        "copy_() under no_grad");
  }
  if (tensor.is_sparse() || data.is_sparse()) {
    return InvalidArgument("data: of a sparse gradient; wanted to_dense()");
  }
  const EagerValue& value = *tensor.eager();
  const Array& now = data.eager()->array;
  if (value.tracked() && !CarriesGradient(now.dtype())) {
    return InvalidArgument(StrCat("data: ", value.Describe(),
                                  ", requires gradients, and the new "
                                  "elements are ",
                                  now.TypeText(), "; wanted floats"));
  }
  bool same =
      value.array.dtype() == now.dtype() && value.array.shape() == now.shape();
  if (value.producer && !same) {
    return InvalidArgument(
        StrCat("data: ", value.Describe(),
               ", was made by a recorded call, and "
               "the new elements are ",
               now.TypeText(), "; wanted the same type and shape, or a leaf"));
  }
  return OkStatus();
}

}  // namespace

void set_data(const Tensor& tensor, const Tensor& data,
              std::source_location where) {
  if (Recording* recording = Recording::Open();
      recording && tensor.defined() && data.defined() && !tensor.is_sparse()) {
    return recording->SetData(recording->ValueOf(tensor),
                              recording->ValueOf(data),
                              SourceLine::From(where));
  }
  Status status = Check(tensor, data);
  if (!status.ok()) {
    throw Error(status.WithLine(StrCat("at ", SourceLine::From(where))));
  }
  EagerValue& value = *tensor.eager();
  // What the views know of its history holds for them still.
  if (value.view_of) RefreshView(value);
  EagerRef from = data.eager();
  if (from.get() == &value) return;
  value.array = from->array;
  value.SetLog(Ref<WriteLog>::Share(&from->writes()));
  value.view_of = nullptr;
  value.view = false;
  ++value.moved;
}

}  // namespace sluice
