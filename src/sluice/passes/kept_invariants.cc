#include "sluice/passes/kept_invariants.h"

#include "sluice/base/strings.h"
#include "sluice/graph/batch_edit.h"
#include "sluice/graph/role_of.h"
#include "sluice/op/signature.h"
#include "sluice/passes/constant_before.h"

namespace sluice {

namespace {

bool IsNumber(const Value& v, int64_t n) {
  const Array* array = ConstantValue(v);
  return array && array->rank() == 0 &&
         ((array->dtype() == DType::kI64 && *array->data<int64_t>() == n) ||
          (array->dtype() == DType::kI32 && *array->data<int32_t>() == n));
}

bool IsLoop(const Node* node) { return node && node->op().flow == Flow::kLoop; }

// Whether an output of a loop is the number of its iterations.
bool CountsTrips(const Value& v) {
  if (!IsLoop(v.node) || !IsNumber(v.node->input(v.index), 0)) return false;
  const Region& body = *v.node->regions()[1];
  const Value &next = body.results()[static_cast<size_t>(v.index)],
              arg = body.arg(v.index);
  if (RoleOf(next) != Role::kAdd) return false;
  const Value &a = next.node->input(0), &b = next.node->input(1);
  return (a == arg && IsNumber(b, 1)) || (b == arg && IsNumber(a, 1));
}

// Whether an index is left - 1 in a loop whose `left` decreases by one from the
// trips of `counted` while it is above 0.
bool CountsDownFrom(const Value& index, const Node* counted) {
  if (RoleOf(index) != Role::kSub || !IsNumber(index.node->input(1), 1)) {
    return false;
  }
  const Value& left = index.node->input(0);
  const Node* loop = left.node->region()->owner();
  if (!left.node->is_args() || !IsLoop(loop) ||
      left.node->region() != loop->regions()[1].get()) {
    return false;
  }
  const Value& start = loop->input(left.index);
  const Value& more = loop->regions()[0]->results()[0];
  Value tested = loop->regions()[0]->arg(left.index);
  bool above =
      (RoleOf(more) == Role::kGreater && more.node->input(0) == tested &&
       IsNumber(more.node->input(1), 0)) ||
      (RoleOf(more) == Role::kLess && more.node->input(1) == tested &&
       IsNumber(more.node->input(0), 0));
  const Region& body = *loop->regions()[1];
  return above && start.node == counted && CountsTrips(start) &&
         body.results()[static_cast<size_t>(left.index)] == index;
}

class Reader {
 public:
  Reader(Graph& graph, std::vector<std::string>* notes)
      : graph_(graph), notes_(notes), edit_(graph) {}

  Result<bool> Run() {
    SL_RETURN_IF_ERROR(Visit(graph_.root()));
    return edit_.Commit();
  }

 private:
  Status Visit(Region& region) {
    std::vector<Node*> nodes(region.nodes().begin(), region.nodes().end());
    for (Node* node : nodes) {
      for (const auto& inner : node->regions()) {
        SL_RETURN_IF_ERROR(Visit(*inner));
      }
      if (RoleOf(*node) == Role::kListGet && !edit_.is_target(*node)) {
        SL_RETURN_IF_ERROR(Read(*node));
      }
    }
    return OkStatus();
  }

  // The value that a loop appends to the empty list that this output started
  // as.
  static Value Appended(const Value& list) {
    if (!IsLoop(list.node)) return {};
    const Value& start = list.node->input(list.index);
    if (RoleOf(start) != Role::kListNew || !IsNumber(start.node->input(0), 0)) {
      return {};
    }
    const Region& body = *list.node->regions()[1];
    const Value& next = body.results()[static_cast<size_t>(list.index)];
    if (RoleOf(next) != Role::kListAppend || next.node->region() != &body ||
        next.node->input(0) != body.arg(list.index)) {
      return {};
    }
    return next.node->input(1);
  }

  Status Read(Node& get) {
    Node* loop = get.input(0).node;
    Value kept = Appended(get.input(0));
    if (!kept || kept.dtype() != get.output_type(0).dtype ||
        !CountsDownFrom(get.input(1), loop)) {
      return OkStatus();
    }
    // Its shape must be known at least as well as that of the read.
    const PartialShape& read = get.output_type(0).shape;
    if (!(JoinShapes(read, kept.shape()) == read)) return OkStatus();
    if (const Array* constant = ConstantValue(kept)) {
      SL_ASSIGN_OR_RETURN(kept, Before(*loop, kept, *constant));
    } else if (!kept.node->region()->Encloses(loop->region())) {
      return OkStatus();
    }
    if (notes_) {
      notes_->push_back(
          StrCat("[ListGet] reads what every iteration kept ", NodeLine(get)));
    }
    edit_.Replace(get.output(), kept);
    return OkStatus();
  }

  // Copies a constant of the loop's body to before the loop.
  Result<Value> Before(Node& loop, const Value& kept, const Array& value) {
    if (kept.node->region()->Encloses(loop.region())) return kept;
    auto [it, fresh] = constants_.emplace(kept, Value());
    if (!fresh) return it->second;
    SL_ASSIGN_OR_RETURN(Value constant,
                        ConstantBefore(graph_, edit_, loop, value, *kept.node));
    return constants_[kept] = constant;
  }

  Graph& graph_;
  std::vector<std::string>* notes_;
  BatchEdit edit_;
  Graph::ValueMap constants_;
};

}  // namespace

Result<bool> ReadKeptInvariants(Graph& graph, std::vector<std::string>* notes) {
  return Reader(graph, notes).Run();
}

}  // namespace sluice
