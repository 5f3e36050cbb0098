#include "sluice/passes/list_elements.h"

#include <string>

#include "sluice/graph/role_of.h"
#include "sluice/op/signature.h"
#include "sluice/passes/counted_loop.h"

namespace sluice {

namespace {

int64_t ConstantSize(const Value& v) {
  const Array* array = ConstantValue(v);
  if (!array || array->num_elements() != 1) return -1;
  if (array->dtype() == DType::kI32) return *array->data<int32_t>();
  if (array->dtype() == DType::kI64) return *array->data<int64_t>();
  return -1;
}

// The shape of x without its first axis, or with that axis unknown.
PartialShape RestOf(const PartialShape& x, bool keep_axis) {
  if (!x.rank_known() || x.rank() == 0) return {};
  std::vector<int64_t> dims(x.dims().begin() + (keep_axis ? 0 : 1),
                            x.dims().end());
  if (keep_axis) dims[0] = kUnknownDim;
  Result<PartialShape> rest = PartialShape::Make(dims);
  return rest.ok() ? *rest : PartialShape();
}

// Whether the index of a write covers 0 ... n - 1 as the counter does, up or
// down.
bool RunsOver(const Value& index, const Value& counter, const Value& n,
              int64_t trips) {
  if (index == counter) return true;
  if (RoleOf(index) != Role::kSub) return false;
  const Value &a = index.node->input(0), &b = index.node->input(1);
  if (b == counter) return trips > 0 && ConstantSize(a) == trips - 1;
  return ConstantSize(b) == 1 && RoleOf(a) == Role::kSub &&
         a.node->input(1) == counter &&
         (a.node->input(0) == n ||
          (trips >= 0 && ConstantSize(a.node->input(0)) == trips));
}

}  // namespace

bool KnownElements::operator==(const KnownElements& o) const {
  if (none != o.none || holes != o.holes || size != o.size ||
      !(shape == o.shape) || !inner != !o.inner) {
    return false;
  }
  return !inner || *inner == *o.inner;
}

ListElements::ListElements(const Graph& graph) { Visit(graph.root()); }

const KnownElements* ListElements::Find(const Value& list) const {
  return At(list).get();
}

ListElements::Known ListElements::At(const Value& v) const {
  auto it = known_.find(v);
  return it == known_.end() ? nullptr : it->second;
}

ListElements::Known ListElements::Joined(const Known& a, const Known& b) {
  if (!a || !b) return nullptr;
  KnownElements joined = a->none ? *b : *a;
  if (!a->none && !b->none) {
    joined.shape = JoinShapes(a->shape, b->shape);
    joined.inner = Joined(a->inner, b->inner);
  }
  joined.holes = a->holes || b->holes;
  joined.size = a->size == b->size ? a->size : -1;
  return std::make_shared<const KnownElements>(std::move(joined));
}

// The list after x has been written, too.
ListElements::Known ListElements::With(const Known& list, const Value& x,
                                       const Known& inner) {
  if (!list) return nullptr;
  KnownElements one = *list;
  one.none = false;
  one.shape = x.shape();
  one.inner = inner;
  return Joined(list, std::make_shared<const KnownElements>(std::move(one)));
}

void ListElements::Visit(const Region& region) {
  for (const Node* node : region.nodes()) {
    switch (node->op().flow) {
      case Flow::kNone:
        VisitOp(*node);
        break;
      case Flow::kLoop:
        VisitLoop(*node);
        break;
      case Flow::kBranch:
        for (const auto& inner : node->regions()) Visit(*inner);
        for (int i = 0; i < node->num_outputs(); ++i) {
          if (node->output_type(i).dtype != DType::kList) continue;
          auto k = static_cast<size_t>(i);
          Known all = At(node->regions()[0]->results()[k]);
          for (const auto& inner : node->regions()) {
            all = Joined(all, At(inner->results()[k]));
          }
          known_[{const_cast<Node*>(node), i}] = all;
        }
        break;
      default:
        for (const auto& inner : node->regions()) Visit(*inner);
        break;
    }
  }
}

// A carried list is the initial one joined with the results of the body,
// repeated until nothing changes. Each round gives up a size or a rank, so it
// terminates.
void ListElements::VisitLoop(const Node& loop) {
  const Region &cond = *loop.regions()[0], &body = *loop.regions()[1];
  for (int i = 0; i < loop.num_inputs(); ++i) {
    if (loop.input(i).dtype() == DType::kList) {
      known_[body.arg(i)] = At(loop.input(i));
    }
  }
  for (bool changed = true; changed;) {
    changed = false;
    Visit(body);
    for (int i = 0; i < loop.num_inputs(); ++i) {
      Known& before = known_[body.arg(i)];
      if (!before) continue;
      Known joined = Joined(before, At(body.results()[static_cast<size_t>(i)]));
      if (joined && *joined == *before) continue;
      before = joined;
      changed = true;
    }
  }
  for (int i = 0; i < loop.num_inputs(); ++i) {
    known_[cond.arg(i)] = known_[body.arg(i)];
    known_[{const_cast<Node*>(&loop), i}] = known_[body.arg(i)];
  }
  Visit(cond);
  FinishLoop(loop);
}

// For a counted loop the final list is known: one more element for each
// iteration, or every element set.
void ListElements::FinishLoop(const Node& loop) {
  std::optional<CountedLoop> counted = FindCounter(loop);
  if (!counted || !counted->exact || counted->start != 0) return;
  const Region& body = *loop.regions()[1];
  for (int i = 0; i < loop.num_inputs(); ++i) {
    Value out{const_cast<Node*>(&loop), i};
    Known start = At(loop.input(i)), last = At(out);
    const Node& made = *body.results()[static_cast<size_t>(i)].node;
    if (!start || !last || made.is_args() || made.region() != &body ||
        made.num_inputs() < 2 || made.input(0) != body.arg(i)) {
      continue;
    }
    KnownElements now = *last;
    if (RoleOf(made) == Role::kListAppend) {
      bool both = start->size >= 0 && counted->trips >= 0;
      now.size = both ? start->size + counted->trips : -1;
    } else if (RoleOf(made) == Role::kListSet &&
               RoleOf(loop.input(i)) == Role::kListNew &&
               loop.attrs().get<int64_t>("maximum") < 0) {
      const Value& n = loop.input(i).node->input(0);
      bool all = n == counted->end ||
                 (counted->trips >= 0 && ConstantSize(n) == counted->trips);
      if (!all || !RunsOver(made.input(1), body.arg(counted->counter), n,
                            counted->trips)) {
        continue;
      }
      now.holes = false;
      now.size = counted->trips;
    }
    known_[out] = std::make_shared<const KnownElements>(std::move(now));
  }
}

void ListElements::VisitOp(const Node& node) {
  Role role = RoleOf(node);
  auto set = [&](KnownElements k) {
    known_[{const_cast<Node*>(&node), 0}] =
        std::make_shared<const KnownElements>(std::move(k));
  };
  auto first = [&] { return At(node.input(0)); };
  if (role == Role::kListNew) {
    int64_t size = ConstantSize(node.input(0));
    KnownElements empty;
    empty.holes = size != 0;
    empty.size = size;
    return set(std::move(empty));
  }
  if (role == Role::kListUnstack || role == Role::kListSplit) {
    const PartialShape& x = node.input(0).shape();
    bool split = role == Role::kListSplit;
    const PartialShape& count = split ? node.input(1).shape() : x;
    bool sized = count.rank_known() && count.rank() > 0;
    return set({.none = false,
                .shape = RestOf(x, split),
                .size = sized ? count[0] : -1});
  }
  if (role == Role::kListGet) {
    // A list of lists.
    Known list = first();
    if (node.output_type(0).dtype != DType::kList || !list || !list->inner ||
        list->holes) {
      return;
    }
    return set(*list->inner);
  }
  if (node.num_inputs() == 0 || node.input(0).dtype() != DType::kList) return;
  Known list = first();
  if (!list) return;
  if (role == Role::kListAppend) {
    KnownElements more = *With(list, node.input(1), At(node.input(1)));
    if (more.size >= 0) ++more.size;
    set(std::move(more));
  } else if (role == Role::kListSet) {
    // The index may be beyond the end.
    KnownElements more = *With(list, node.input(2), At(node.input(2)));
    more.holes = true;
    more.size = -1;
    set(std::move(more));
  } else if (role == Role::kIdentity || role == Role::kListReserve ||
             role == Role::kListTake || role == Role::kListZerosLike) {
    set(*list);
  } else if (role == Role::kListPop || role == Role::kListTruncate) {
    KnownElements fewer = *list;
    fewer.size = -1;
    set(std::move(fewer));
  }
}

}  // namespace sluice
