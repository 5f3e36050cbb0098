#include "sluice/eager/tensor.h"

#include <algorithm>
#include <cstring>
#include <ostream>

#include "sluice/base/error.h"
#include "sluice/base/strings.h"
#include "sluice/eager/call_device.h"
#include "sluice/eager/recording.h"
#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"

namespace sluice {

namespace {

[[noreturn]] void ThrowEmpty(std::string_view what) {
  throw Error(FailedPrecondition(
      StrCat("this ", what, " holds nothing: it was made by default")));
}

}  // namespace

Node& Operation::node() const {
  if (!node_) ThrowEmpty("Operation");
  return *node_;
}

const std::string& Operation::name() const { return node().name(); }
const std::string& Operation::type() const { return node().op().name; }
int Operation::num_outputs() const { return node().num_outputs(); }

Graph& Operation::graph() const {
  if (!graph_) ThrowEmpty("Operation");
  return *graph_;
}

Tensor Operation::output(int i) const {
  if (i < 0 || i >= num_outputs()) {
    throw Error(OutOfRange(StrCat("output ", i, " of \"", name(),
                                  "\", which has ", num_outputs())));
  }
  return TensorIn(*graph_, {node_, i});
}

Tensor TensorIn(Graph& graph, Value value) {
  Recording* recording = Recording::Current();
  if (recording && &recording->graph() == &graph) {
    return Tensor(recording->Adopt(value));
  }
  return Tensor(graph, value);
}

void Tensor::ThrowSparse() const {
  throw Error(FailedPrecondition(
      StrCat("this Tensor (", TypeText(dtype(), shape()),
             ") is a sparse gradient; wanted its indices() and values(), or "
             "to_dense()")));
}

namespace {

Recording& RecordingOf(const EagerValue& traced) {
  Recording* recording = Recording::Current();
  if (recording && recording->Mine(traced)) return *recording;
  throw Error(FailedPrecondition(RecordingIsOver(traced)));
}

}  // namespace

Value Tensor::value() const {
  if (is_sparse()) ThrowSparse();
  if (value_) return value_;
  if (traced()) return RecordingOf(*eager_).Now(*eager_);
  if (!eager_) ThrowEmpty("Tensor");
  throw Error(FailedPrecondition(
      StrCat("this Tensor (", eager_->Describe(),
             ") was made imperatively and is part of no graph")));
}

Graph& Tensor::graph() const {
  if (traced()) return RecordingOf(*eager_).graph();
  if (!value_) value();
  return *graph_;
}

EagerRef Tensor::here() const {
  Recording* recording = Recording::Open();
  if (!recording && !traced()) return eager();
  if (!recording) recording = &RecordingOf(*eager_);
  return recording->ValueOf(*this);
}

const EagerRef& Tensor::eager() const {
  if (eager_ && !eager_->rows && !eager_->traced) [[likely]]
    return eager_;
  if (is_sparse()) ThrowSparse();
  return eager_gradient();
}

const EagerRef& Tensor::eager_gradient() const {
  if (eager_ && !eager_->traced) return eager_;
  if (!value_ && !eager_) ThrowEmpty("Tensor");
  if (traced()) {
    throw Error(FailedPrecondition(
        StrCat(eager_->Describe(),
               ", is part of a graph and has no elements here; fetch it with "
               "Session::run")));
  }
  throw Error(FailedPrecondition(
      StrCat("\"", value_.ToString(), "\" (", value_.type().ToString(),
             ") is part of a graph and has no elements here; fetch it with "
             "Session::run")));
}

const Array& Tensor::array() const { return eager()->array; }

DType Tensor::dtype() const {
  if (rows_) return value_.dtype();
  return eager_ ? eager_->dtype() : value().dtype();
}

PartialShape Tensor::shape() const {
  if (rows_) return rows_->dense;
  return eager_ ? eager_->shape() : value().shape();
}

int64_t Tensor::dim(int i) const {
  PartialShape all = shape();
  if (i < -all.rank() || i >= all.rank()) {
    throw Error(OutOfRange(StrCat("dim(", i, ") of a tensor of shape ", all)));
  }
  return all.dim(i < 0 ? i + all.rank() : i);
}

int64_t Tensor::num_elements() const {
  PartialShape all = shape();
  return all.fully_known() ? all.ToShape().num_elements() : -1;
}

std::string Tensor::name() const {
  if (rows_ || (traced() && is_sparse())) return {};
  if (traced() && !eager_->traced->recording) return {};
  if (symbolic()) return value().ToString();
  return eager_->extra ? eager_->extra->name : std::string();
}

void Tensor::set_name(std::string_view name) const {
  here()->extras().name = name;
}

std::string Tensor::ToString() const {
  if (is_sparse()) {
    return StrCat("sparse ", TypeText(dtype(), shape()), " of ",
                  values().ToString(), " at ", indices().ToString());
  }
  if (traced() && !eager_->traced->recording) return eager_->TypeText();
  if (symbolic()) return StrCat(name(), ": ", value().type());
  return StrCat(name().empty() ? "" : StrCat(name(), ": "),
                eager_->array.TypeText(), " ",
                ValueOrThrow(OnHost(eager_->array)).ToString());
}

std::ostream& operator<<(std::ostream& out, const Tensor& tensor) {
  return out << (tensor.defined() ? tensor.ToString()
                                  : std::string("(no tensor)"));
}

void Tensor::CopyOut(DType dtype, int64_t count, void* to) const {
  const Array& a = array();
  if (a.dtype() != dtype || a.num_elements() != count) {
    throw Error(InvalidArgument(
        StrCat("the tensor is ", a.TypeText(), "; wanted ",
               count == 1 ? "one element" : StrCat(count, " elements"), " of ",
               DTypeName(dtype))));
  }
  Array flat = ValueOrThrow(OnHost(a));
  flat = ValueOrThrow(flat.AsContiguous());
  if (dtype == DType::kString) {
    std::copy_n(flat.data<std::string>(), count, static_cast<std::string*>(to));
    return;
  }
  if (count == 0) return;  // `to` may be null
  std::memcpy(to, flat.raw(), static_cast<size_t>(flat.bytes()));
}

Tensor find_tensor(Graph& graph, std::string_view name) {
  MutexLock lock(graph.mu());
  return Tensor(graph, ValueOrThrow(graph.FindValue(name)));
}

Operation find_operation(Graph& graph, std::string_view name) {
  MutexLock lock(graph.mu());
  Node* node = graph.FindNode(name);
  if (!node) {
    throw Error(NotFound(
        StrCat("no node \"", name, "\" in graph \"", graph.name(), "\"")));
  }
  return Operation(graph, *node);
}

}  // namespace sluice
