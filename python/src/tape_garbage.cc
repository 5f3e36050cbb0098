#include "tape_garbage.h"

#include <utility>
#include <vector>

#include "sluice/eager/recompute.h"
#include "sluice/eager/tape.h"
#include "tape_function.h"
#include "without_gil.h"

namespace sluice::py {

namespace {

// The maximum number of calls visited for one tensor: collections are frequent
// and must be quick. Calls beyond that are not visited, and live until the tape
// releases them.
constexpr size_t kMostCalls = 1000;

// The value that only this object owns; null if there is none.
EagerValue* OwnValue(PyObject* self) {
  if (!TapeFunction::Any() || StretchesWithoutGil() > 0) return nullptr;
  if (!nb::inst_ready(self)) return nullptr;
  const EagerRef& value = nb::inst_ptr<Tensor>(self)->identity();
  if (!value || !value->unique() || value->traced) return nullptr;
  return value.get();
}

// The Python function in a std::function, if it is the only owner.
template <class F, class Function>
PyObject* SoleIn(const Function& function) {
  const F* f = function.template target<F>();
  return f ? f->sole() : nullptr;
}

// The calls reachable only from one value.
class OwnCalls {
 public:
  explicit OwnCalls(const EagerValue& value) {
    Add(value.producer.get());
    for (size_t i = 0; i < nodes_.size() && nodes_.size() < kMostCalls; ++i) {
      for (const TapeEdge& edge : nodes_[i]->edges) Add(edge.node.get());
    }
  }

  int Visit(visitproc visit, void* arg) const {
    for (const TapeNode* node : nodes_) {
      for (const TapeNode::Hook& hook : node->hooks) {
        Py_VISIT(SoleIn<HookFunction>(hook.user));
      }
      if (auto* backward = node->user_backward()) {
        Py_VISIT(SoleIn<BackwardFunction>(*backward));
      }
    }
    // Kept alive by its calls, all of which must be owned here.
    for (const auto& [region, calls] : regions_) {
      if (calls != region->calls_left()) continue;
      Py_VISIT(SoleIn<ListFunction>(region->function()));
    }
    return 0;
  }

 private:
  void Add(const TapeNode* node) {
    if (!node || !node->unique()) return;
    nodes_.push_back(node);
    const RecomputeRegion* region = node->region();
    if (!region) return;
    for (auto& [known, calls] : regions_) {
      if (known == region) {
        ++calls;
        return;
      }
    }
    regions_.emplace_back(region, 1);
  }

  std::vector<const TapeNode*> nodes_;
  std::vector<std::pair<const RecomputeRegion*, size_t>> regions_;
};

}  // namespace

int TraverseTensor(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  if (PyObject** dict = _PyObject_GetDictPtr(self)) Py_VISIT(*dict);
  const EagerValue* value = OwnValue(self);
  if (!value) return 0;
  if (value->extra) {
    for (const auto& [id, hook] : value->extra->hooks) {
      Py_VISIT(SoleIn<HookFunction>(hook));
    }
  }
  return value->producer ? OwnCalls(*value).Visit(visit, arg) : 0;
}

int ClearTensor(PyObject* self) {
  if (PyObject** dict = _PyObject_GetDictPtr(self)) Py_CLEAR(*dict);
  EagerValue* value = OwnValue(self);
  if (!value) return 0;
  // Moved out first: destruction may access this object again.
  decltype(EagerValue::Extras::hooks) hooks;
  if (value->extra) hooks.swap(value->extra->hooks);
  Ref<TapeNode> producer = std::move(value->producer);
  return 0;
}

}  // namespace sluice::py
