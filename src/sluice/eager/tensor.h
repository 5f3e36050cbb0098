// Tensor and Operation: what the user's program holds. A Tensor is elements
// that are there now (imperative: calls run at once), or one value of a graph
// (calls become nodes); an Operation is one node, to be run for what it does.
//
// Plain handles of a few words, copied freely. Copies of an imperative Tensor
// are the same tensor; a graph must outlive its handles. A default-made one
// holds nothing; asking it anything throws.
#pragma once

#include <functional>
#include <initializer_list>
#include <iosfwd>
#include <source_location>
#include <string>
#include <vector>

#include "sluice/eager/eager_value.h"
#include "sluice/eager/index.h"
#include "sluice/graph/value.h"

namespace sluice {

class Operand;
class Tensor;

class Operation {
 public:
  Operation() = default;
  Operation(Graph& graph, Node& node) : graph_(&graph), node_(&node) {}

  explicit operator bool() const { return node_ != nullptr; }
  bool operator==(const Operation&) const = default;

  const std::string& name() const;  // "encoder/w"
  const std::string& type() const;  // "MatMul"
  int num_outputs() const;
  // Throws when there is no output of that number.
  Tensor output(int i = 0) const;

  Graph& graph() const;
  Node& node() const;

 private:
  Graph* graph_ = nullptr;
  Node* node_ = nullptr;
};

class Tensor {
 public:
  using Where = std::source_location;
  using GradHook = std::function<Tensor(const Tensor&)>;

  Tensor() = default;
  Tensor(Graph& graph, Value value) : graph_(&graph), value_(value) {}
  explicit Tensor(EagerRef value) : eager_(std::move(value)) {}

  // A sparse gradient (below) of a graph.
  struct GraphRows : RefCounted<GraphRows> {
    Value indices, values, shape;
    PartialShape dense;
  };
  Tensor(Graph& graph, Ref<GraphRows> rows)
      : graph_(&graph), value_(rows->values), rows_(std::move(rows)) {}

  bool defined() const { return value_.node || eager_; }
  // What `if (x > 0)`, `while`, `&&`, `||` and `!` mean: the one element, not
  // whether the handle holds something. Throws for several elements, and for
  // part of a graph, where cond() and while_loop() decide.
  explicit operator bool() const;
  // Part of a graph, with elements only in a step; else they are here now.
  bool symbolic() const { return value_.node != nullptr || traced(); }

  DType dtype() const;
  PartialShape shape() const;
  int rank() const { return shape().rank(); }  // -1 when unknown
  int64_t dim(int i) const;                    // negative from the end
  int64_t num_elements() const;                // -1 when unknown
  // "x", "split:1": what Session::run takes as a name, too. Imperatively what
  // set_name gave.
  std::string name() const;
  void set_name(std::string_view name) const;
  std::string ToString() const;  // "x: f32[?,784]"; imperatively the elements

  // ---- Part of a graph ----
  Operation operation() const { return {graph(), *value().node}; }
  Graph& graph() const;
  Value value() const;

  // ---- Imperative: elements ----
  // They throw for part of a graph.
  const Array& array() const;
  template <class T>
  T item() const {
    T value;
    CopyOut(DTypeOf<T>::value, 1, &value);
    return value;
  }
  template <class T>
  std::vector<T> to_vector() const {
    std::vector<T> values(static_cast<size_t>(array().num_elements()));
    CopyOut(DTypeOf<T>::value, array().num_elements(), values.data());
    return values;
  }

  // ---- Imperative: gradients (front/autograd.h has the functions) ----
  bool requires_grad() const;
  // Leaves alone can be told; throws for others and for integers.
  const Tensor& requires_grad_(bool wanted = true) const;
  bool is_leaf() const;
  // What backward() added up; holds nothing before.
  Tensor grad() const;
  void set_grad(const Tensor& grad) const;
  void zero_grad() const;
  // The gradients of this scalar (or of <this, gradient>) for all leaves it was
  // made from. `retain_graph` keeps what a second call needs; `create_graph`
  // lets the gradients be differentiated themselves.
  struct BackwardOptions {
    bool retain_graph = false, create_graph = false;
  };
  void backward(Where where = Where::current()) const {
    backward(Tensor(), {}, where);
  }
  void backward(const Tensor& gradient, BackwardOptions options,
                Where where = Where::current()) const;
  // On another device, by its name ("gpu:0"); itself when it is there.
  Tensor to(std::string_view device, Where where = Where::current()) const;
  // Where its elements are: "/device:cpu:0". Of part of a graph: where it is
  // wanted, or nothing.
  std::string device() const;
  // The same elements, taken for a constant by gradients.
  Tensor detach() const;
  Tensor clone(Where where = Where::current()) const;
  // Called with the gradient of this tensor; what it returns, if anything,
  // takes its place. Returns a number for remove_hook.
  int register_hook(GradHook hook) const;
  void remove_hook(int id) const;
  // Keeps the gradient of a tensor that is no leaf, for grad().
  void retain_grad() const;

  // ---- Sparse gradients ----
  // The gradient of a tensor of which slices along axis 0 were gathered: only
  // those slices, and where they belong. Ops take no such tensor, only its
  // parts; type and shape are those of the whole.
  bool is_sparse() const { return rows_ || (eager_ && eager_->rows); }
  Tensor indices() const;      // a vector; an index may be there twice
  Tensor values() const;       // one slice for each index
  Tensor dense_shape() const;  // a vector of i64
  // Slices added where they belong, zeros elsewhere. Of a tensor that is not
  // sparse the tensor itself.
  Tensor to_dense(Where where = Where::current()) const;
  // Every index once, smallest first, with the sum of its slices: for updates
  // that are not linear in the gradient.
  Tensor coalesce(Where where = Where::current()) const;

  // ---- Writes in place, seen through every handle and view ----
  const Tensor& add_(const Operand& b, Where where = Where::current()) const;
  const Tensor& sub_(const Operand& b, Where where = Where::current()) const;
  const Tensor& mul_(const Operand& b, Where where = Where::current()) const;
  const Tensor& div_(const Operand& b, Where where = Where::current()) const;
  const Tensor& copy_(const Operand& b, Where where = Where::current()) const;
  const Tensor& fill_(const Operand& b, Where where = Where::current()) const;
  const Tensor& zero_(Where where = Where::current()) const;
  // Slices along axis 0 added or subtracted at a vector of indices, one after
  // the other; the rest of the tensor is not touched.
  const Tensor& scatter_add_(const Operand& indices, const Operand& values,
                             Where where = Where::current()) const;
  const Tensor& scatter_sub_(const Operand& indices, const Operand& values,
                             Where where = Where::current()) const;
  // The same, but set; of several for one place the last counts.
  const Tensor& scatter_update_(const Operand& indices, const Operand& values,
                                Where where = Where::current()) const;

  // ---- Parts (eager/index.h) ----
  // x[2], x[{1, sl::all}], x[{sl::slice(0, 5, 2), sl::ellipsis, -1}].
  Tensor operator[](const Indices& indices) const;
  Tensor at(std::initializer_list<Index> indices,
            Where where = Where::current()) const;
  // Writes part of this tensor.
  const Tensor& set(std::initializer_list<Index> indices, const Operand& value,
                    Where where = Where::current()) const;

  // For this library: throws when this is part of a graph, or sparse.
  const EagerRef& eager() const;
  // Made while a function is recorded (eager/recording.h): part of its graph,
  // with the identity and the history that imperative tensors have.
  bool traced() const { return eager_ && eager_->traced; }
  const EagerRef& identity() const { return eager_; }
  // What calls made here see of it: the value itself or, while a function is
  // recorded, what is traced in its place. Throws for other parts of graphs.
  EagerRef here() const;
  // The same, sparse or not.
  const EagerRef& eager_gradient() const;

 private:
  [[noreturn]] void ThrowSparse() const;
  void CopyOut(DType dtype, int64_t count, void* to) const;

  Graph* graph_ = nullptr;
  Value value_;
  EagerRef eager_;
  Ref<GraphRows> rows_;
};

std::ostream& operator<<(std::ostream& out, const Tensor& tensor);

// What the graph calls by that name ("x" or "x:0"; "train"). Throws when there
// is nothing of that name.
Tensor find_tensor(Graph& graph, std::string_view name);
Operation find_operation(Graph& graph, std::string_view name);

}  // namespace sluice
