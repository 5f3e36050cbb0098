#include "sluice/trace/size_guard.h"

#include <atomic>

#include "sluice/base/error.h"
#include "sluice/base/strings.h"
#include "sluice/base/thread_owned.h"
#include "sluice/eager/scope.h"
#include "sluice/op/run_op.h"
#include "sluice/op/runs_on.h"
#include "sluice/op/signature.h"

namespace sluice {

namespace {

// Sizes are scalars and shape vectors; larger values are data.
constexpr int64_t kMaxElementsKnown = 64;

bool Small(const PartialShape& shape) {
  return shape.fully_known() &&
         shape.ToShape().num_elements() <= kMaxElementsKnown;
}

bool IsNumber(DType dtype) {
  return dtype == DType::kI64 || dtype == DType::kI32 ||
         dtype == DType::kBool || dtype == DType::kF64;
}

// An array of that shape with memory for one element, for ops that read no
// elements.
Array Hollow(const Shape& shape) {
  return Array::View(Array::Scalar<float>(0), 0, shape, Strides{});
}

double Number(const Array& array) {
  switch (array.dtype()) {
    case DType::kI64:
      return static_cast<double>(*array.data<int64_t>());
    case DType::kI32:
      return *array.data<int32_t>();
    case DType::kF64:
      return *array.data<double>();
    default:
      return *array.data<bool>() ? 1 : 0;
  }
}

std::string NumberText(DType dtype, double number) {
  if (dtype == DType::kBool) return number != 0 ? "True" : "False";
  if (dtype == DType::kF64) return StrCat(number);
  return StrCat(static_cast<int64_t>(number));
}

}  // namespace

KnownSizes::KnownSizes(const Graph& graph, std::vector<Shape> args)
    : region_(&graph.root()) {
  for (const Shape& shape : args) args_.emplace_back(shape);
}

KnownSizes::KnownSizes(KnownSizes& outer, const Region& region,
                       std::vector<PartialShape> args)
    : region_(&region), outer_(&outer), args_(std::move(args)) {}

KnownSizes& KnownSizes::Home(const Node& node) {
  KnownSizes* at = this;
  while (at->outer_ && !at->region_->Encloses(node.region())) at = at->outer_;
  return *at;
}

KnownSizes::Outputs KnownSizes::ArgsOf(const Region& region) const {
  const std::vector<PartialShape>* args = &args_;
  if (&region != region_) {
    auto it = entered_.find(region.owner() ? region.owner()->id() : -1);
    args = it == entered_.end() ? nullptr : &it->second;
  }
  Outputs made;
  for (int i = 0; i < region.num_args(); ++i) {
    auto k = static_cast<size_t>(i);
    bool given = args && k < args->size();
    made.shapes.push_back(given ? (*args)[k] : region.arg(i).shape());
  }
  made.elements.resize(made.shapes.size());
  return made;
}

void KnownSizes::Enter(const Region& region, std::vector<PartialShape> args) {
  entered_[region.owner() ? region.owner()->id() : -1] = std::move(args);
}

// Gradients built later may have added results to a loop or branch.
bool KnownSizes::Knows(const Node& node) const {
  auto known = known_.find(node.id());
  return known != known_.end() &&
         known->second.shapes.size() >= static_cast<size_t>(node.num_outputs());
}

// Inputs first, with an explicit work list: a graph may be deeper than the
// stack.
Result<const KnownSizes::Outputs*> KnownSizes::At(const Node& asked) {
  KnownSizes& home = Home(asked);
  if (&home != this) return home.At(asked);
  std::vector<const Node*> open{&asked};
  while (!open.empty()) {
    const Node& node = *open.back();
    if (node.is_args() || Knows(node)) {
      open.pop_back();
      continue;
    }
    size_t before = open.size();
    for (const Value& v : node.inputs()) {
      // What a raw loop carries is known from its types alone.
      if (v.node->is_args() || IsBackEdge(node, v)) continue;
      KnownSizes& its = Home(*v.node);
      if (its.Knows(*v.node)) continue;
      if (&its != this) {
        SL_RETURN_IF_ERROR(its.At(*v.node).status());
        continue;
      }
      open.push_back(v.node);
    }
    if (open.size() > before) continue;
    SL_ASSIGN_OR_RETURN(Outputs made, Visit(node));
    known_[node.id()] = std::move(made);
    open.pop_back();
  }
  if (!asked.is_args()) return &known_[asked.id()];
  // Arguments may have been added since.
  int key = -1 - asked.region()->num_args();
  if (asked.region() == region_) {
    Outputs& args = known_[key];
    if (args.shapes.empty()) args = ArgsOf(*region_);
    return &args;
  }
  // For a region that was not entered, only the types are known.
  auto& unknown = ThreadOwned<Outputs>::Get();
  unknown = ArgsOf(*asked.region());
  return &unknown;
}

Result<PartialShape> KnownSizes::ShapeOf(const Value& value) {
  SL_ASSIGN_OR_RETURN(const Outputs* known, At(*value.node));
  return known->shapes[static_cast<size_t>(value.index)];
}

Result<Array> KnownSizes::ElementsOf(const Value& value) {
  SL_ASSIGN_OR_RETURN(const Outputs* known, At(*value.node));
  return known->elements[static_cast<size_t>(value.index)];
}

Result<std::optional<double>> KnownSizes::NumberOf(const Value& value) {
  SL_ASSIGN_OR_RETURN(Array elements, ElementsOf(value));
  if (!elements || elements.num_elements() != 1) return {std::nullopt};
  return {Number(elements)};
}

Result<KnownSizes::Outputs> KnownSizes::Visit(const Node& node) {
  if (node.op().flow == Flow::kBranch) return VisitBranch(node);
  if (node.op().flow == Flow::kLoop) return VisitLoop(node);
  Outputs out;
  std::vector<PartialShape> shapes;
  std::vector<Array> elements;
  std::vector<const Array*> values;
  std::vector<DType> in_dtypes, out_dtypes;
  bool behind = false;
  for (const Value& v : node.inputs()) {
    in_dtypes.push_back(v.dtype());
    if (IsBackEdge(node, v)) {
      behind = true;
      shapes.push_back(v.shape());
      elements.emplace_back();
      continue;
    }
    SL_ASSIGN_OR_RETURN(PartialShape shape, ShapeOf(v));
    SL_ASSIGN_OR_RETURN(Array known, ElementsOf(v));
    shapes.push_back(std::move(shape));
    elements.push_back(std::move(known));
  }
  for (size_t i = 0; i < elements.size(); ++i) {
    values.push_back(elements[i]
                         ? &elements[i]
                         : ConstantValue(node.input(static_cast<int>(i))));
  }
  for (int i = 0; i < node.num_outputs(); ++i) {
    out_dtypes.push_back(node.output_type(i).dtype);
    out.shapes.push_back(node.output_type(i).shape);
  }
  out.elements.resize(out.shapes.size());
  // A call's results, and what a raw loop carries, are known only by running
  // it.
  if (behind || (node.op().structural && node.op().flow != Flow::kNone)) {
    return out;
  }
  Result<std::vector<PartialShape>> found = InferShapes(
      node.op(), node.attrs(), in_dtypes, shapes, values, out_dtypes);
  if (!found.ok()) return found.status().WithLine(NodeLine(node));
  for (size_t i = 0; i < out.shapes.size(); ++i) {
    Result<PartialShape> merged = MergeShapes(out.shapes[i], (*found)[i]);
    if (!merged.ok()) return merged.status().WithLine(NodeLine(node));
    out.shapes[i] = *merged;
  }
  Compute(node, elements, shapes, out);
  return out;
}

void KnownSizes::Compute(const Node& node, const std::vector<Array>& in,
                         const std::vector<PartialShape>& in_shapes,
                         Outputs& out) {
  const OpRecord& op = node.op();
  if (const Array* constant = node.num_outputs() == 1
                                  ? ConstantValue({const_cast<Node*>(&node), 0})
                                  : nullptr) {
    if (Small(constant->shape())) out.elements[0] = *constant;
    return;
  }
  // One size of a tensor whose other sizes depend on its elements.
  if (op.role == Role::kGather &&
      node.input(0).node->op().role == Role::kShape && in[1] &&
      in[1].rank() == 0 && !in[0]) {
    Result<PartialShape> of = ShapeOf(node.input(0).node->input(0));
    auto axis = static_cast<int>(Number(in[1]));
    if (of.ok() && axis >= 0 && axis < of->rank() && of->dim(axis) >= 0) {
      out.elements[0] = Array::Scalar<int64_t>(of->dim(axis));
    }
    return;
  }
  bool runs = op.pure() && op.regions.empty() && node.num_inputs() > 0 &&
              HasHostCode(op);
  for (size_t i = 0; i < out.shapes.size(); ++i) {
    runs = runs && Small(out.shapes[i]) &&
           IsNumber(node.output_type(static_cast<int>(i)).dtype);
  }
  std::vector<Array> inputs = in;
  for (size_t i = 0; runs && i < in.size(); ++i) {
    if (in[i]) continue;
    runs = op.shape_only && in_shapes[i].fully_known();
    if (runs) inputs[i] = Hollow(in_shapes[i].ToShape());
  }
  if (!runs) return;
  Result<std::vector<Array>> made = RunOp(op, node.attrs(), inputs);
  if (made.ok()) out.elements = std::move(*made);
}

Result<KnownSizes::Outputs> KnownSizes::ResultsOf(const Region& region) {
  Outputs made;
  for (const Value& v : region.results()) {
    SL_ASSIGN_OR_RETURN(PartialShape shape, ShapeOf(v));
    SL_ASSIGN_OR_RETURN(Array elements, ElementsOf(v));
    made.shapes.push_back(std::move(shape));
    made.elements.push_back(std::move(elements));
  }
  return made;
}

Result<KnownSizes::Outputs> KnownSizes::VisitBranch(const Node& node) {
  auto count = static_cast<size_t>(node.num_outputs());
  Outputs joined;
  bool first = true;
  for (const auto& region : node.regions()) {
    KnownSizes inner(*this, *region, {});
    Result<Outputs> way = inner.ResultsOf(*region);
    // A region that cannot run may be a branch not taken; one still being
    // recorded has no results.
    if (!way.ok() || way->shapes.size() < count) {
      joined.shapes.clear();
      break;
    }
    for (size_t i = 0; i < count; ++i) {
      if (first) {
        joined.shapes.push_back(way->shapes[i]);
      } else {
        joined.shapes[i] = JoinShapes(joined.shapes[i], way->shapes[i]);
      }
    }
    first = false;
  }
  if (joined.shapes.size() != count) {
    joined.shapes.clear();
    for (int i = 0; i < node.num_outputs(); ++i) {
      joined.shapes.push_back(node.output_type(i).shape);
    }
  }
  joined.elements.resize(count);
  return joined;
}

Result<KnownSizes::Outputs> KnownSizes::VisitLoop(const Node& node) {
  Outputs out;
  out.elements.resize(static_cast<size_t>(node.num_outputs()));
  const Region& body = *node.regions().back();
  std::vector<PartialShape> carried;
  for (const Value& v : node.inputs()) {
    SL_ASSIGN_OR_RETURN(PartialShape shape, ShapeOf(v));
    carried.push_back(std::move(shape));
  }
  bool whole = body.results().size() >= carried.size();
  for (bool changed = whole; changed;) {
    changed = false;
    KnownSizes inner(*this, body, carried);
    Result<Outputs> next = inner.ResultsOf(body);
    if (!next.ok()) {
      whole = false;  // it may never run
      break;
    }
    // Each round gives up a size or a rank, so this ends.
    for (size_t i = 0; i < carried.size(); ++i) {
      PartialShape joined = JoinShapes(carried[i], next->shapes[i]);
      changed = changed || !(joined == carried[i]);
      carried[i] = std::move(joined);
    }
  }
  for (int i = 0; i < node.num_outputs(); ++i) {
    auto k = static_cast<size_t>(i);
    bool known = whole && k < carried.size();
    out.shapes.push_back(known ? carried[k] : node.output_type(i).shape);
  }
  return out;
}

namespace {

std::vector<Shape> ShapesOf(const std::vector<Tensor>& args) {
  std::vector<Shape> shapes;
  for (const Tensor& a : args) {
    shapes.push_back(a.symbolic() ? a.shape().ToShape() : a.array().shape());
  }
  return shapes;
}

uint64_t NextSerial() {
  static std::atomic<uint64_t> next{1};
  return next.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace

SizeGuards::SizeGuards(Graph& graph, const std::vector<Tensor>& args,
                       std::vector<std::string> names)
    : graph_(graph),
      names_(std::move(names)),
      then_(ShapesOf(args)),
      serial_(NextSerial()),
      now_(graph, then_) {}

std::string SizeGuards::NameOf(const Value& value, int axis) const {
  std::string name = value.ToString();
  if (value.node == graph_.root().args_node() &&
      static_cast<size_t>(value.index) < names_.size()) {
    name = names_[static_cast<size_t>(value.index)];
    // An integer that is passed as a size (function_record.cc).
    if (name.ends_with("#")) return name.substr(0, name.size() - 1);
  }
  return StrCat(name, ".shape[", axis, "]");
}

Status SizeGuards::Require(const Value& condition, std::string text) {
  for (const Condition& known : conditions_) {
    if (known.id == condition.node->id()) return OkStatus();
  }
  SL_ASSIGN_OR_RETURN(std::optional<double> number, now_.NumberOf(condition));
  if (!number) {
    return InvalidArgument(
        StrCat(text,
               " depends on elements of tensors, which are not known "
               "while a function is recorded"));
  }
  conditions_.push_back({condition, *number, std::move(text),
                         condition.node->name(), condition.node->id(),
                         condition.dtype()});
  return OkStatus();
}

bool SizeGuards::Gone(const Condition& c) const {
  const Node* node = graph_.FindNode(c.node);
  return !node || node->id() != c.id;
}

int SizeGuards::Broken(const std::vector<Tensor>& args, std::string* now) {
  // Gradients may be recorded into the graph concurrently.
  MutexLock lock(graph_.mu());
  std::vector<Shape> shapes = ShapesOf(args);
  bool same = shapes == then_;
  KnownSizes sizes(graph_, std::move(shapes));
  for (size_t i = 0; i < conditions_.size(); ++i) {
    const Condition& c = conditions_[i];
    std::optional<double> number;
    if (!Gone(c)) {
      Result<std::optional<double>> found = sizes.NumberOf(c.value);
      if (found.ok()) number = *found;
    }
    if (number ? *number == c.then : same) continue;
    if (now && number) *now = NumberText(c.dtype, *number);
    return static_cast<int>(i);
  }
  return -1;
}

bool SizeGuards::Fit(const std::vector<Tensor>& args) {
  if (conditions_.empty()) return true;
  auto same = [&](const std::vector<int64_t>& sizes) {
    size_t at = 0;
    for (const Tensor& a : args) {
      const Shape& shape = a.array().shape();
      for (int64_t d : shape.dims()) {
        if (at == sizes.size() || sizes[at++] != d) return false;
      }
    }
    return at == sizes.size();
  };
  for (size_t i = 0; i < seen_.size(); ++i) {
    if (same(seen_[i].sizes)) return seen_[i].fit;
  }
  Seen next{{}, Broken(args, nullptr) < 0};
  for (const Tensor& a : args) {
    for (int64_t d : a.array().shape().dims()) next.sizes.push_back(d);
  }
  seen_.push_front(std::move(next));
  if (seen_.size() > kSeen) seen_.pop_back();
  return seen_.front().fit;
}

std::string SizeGuards::Why(const std::vector<Tensor>& args) {
  if (Fit(args)) return "";
  std::string now = "not known for these sizes";
  int place = Broken(args, &now);
  if (place < 0) return "";
  const Condition& c = conditions_[static_cast<size_t>(place)];
  return StrCat(c.text, " is ", now, "; the last trace had ",
                NumberText(c.dtype, c.then));
}

}  // namespace sluice
