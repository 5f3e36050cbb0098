#include "sluice/batching/batch_scope.h"

#include "sluice/base/strings.h"

namespace sluice {

BatchScope::BatchScope(Emitter emit, Value count)
    : emit_(emit), count_(count) {}

BatchScope::BatchScope(Emitter emit, BatchScope& outer)
    : emit_(emit), outer_(&outer), count_(outer.count_) {}

BatchScope::BatchScope(Emitter emit, BatchScope& outer, Value picked)
    : emit_(emit), outer_(&outer), picked_(picked) {
  count_ = emit_.Rows(picked);
}

BatchScope BatchScope::OfFunction(Emitter emit, BatchScope& outer,
                                  Value count) {
  BatchScope made(emit, outer);
  made.count_ = count;
  made.single_only_ = true;
  return made;
}

bool BatchScope::Batched(Value of_one) const {
  for (const BatchScope* s = this; s; s = s->outer_) {
    if (auto it = s->map_.find(of_one); it != s->map_.end()) {
      return it->second.batched;
    }
  }
  return false;
}

int64_t BatchScope::known_count() const {
  const Array* known = count_ ? ConstantValue(count_) : nullptr;
  return known ? known->data<int64_t>()[0] : -1;
}

Lanes BatchScope::Find(Value of_one) {
  if (auto it = map_.find(of_one); it != map_.end()) return it->second;
  if (!outer_) return {of_one, false};
  Lanes found = outer_->Find(of_one);
  if (!emit_.ok()) return found;
  if (found.batched && single_only_) {
    emit_.Fail(Internal(
        StrCat("[vmap] \"", of_one.ToString(), "\" is captured with lanes")));
    return found;
  }
  if (found.batched && picked_) {
    if (found.value.dtype() == DType::kList) {
      emit_.Fail(InvalidArgument(
          StrCat("[vmap] \"", of_one.ToString(),
                 "\" is a list with elements of lanes, read where only some "
                 "lanes run; wanted its stack()")));
      return found;
    }
    found.value = emit_.Gather(found.value, picked_);
    map_[of_one] = found;
  }
  return found;
}

Value BatchScope::Full(Lanes lanes) {
  if (lanes.batched || !emit_.ok()) return lanes.value;
  if (lanes.value.dtype() == DType::kList) return FullList(lanes.value);
  Value shape = emit_.Join({count_, emit_.Sizes(lanes.value)});
  Value full = emit_.Call("BroadcastTo", {lanes.value, shape});
  emit_.Refine(full, WithLanes(lanes.value.shape(), known_count()));
  return full;
}

// A list as it was made, made for elements with lanes.
Value BatchScope::FullList(Value list) {
  const Node& made = *list.node;
  if (made.op().name == "ListNew") {
    Attrs attrs = made.attrs();
    attrs.set("shape",
              WithLanes(attrs.get<PartialShape>("shape"), known_count()));
    return emit_.Call("ListNew", {made.input(0)}, attrs);
  }
  if (made.op().name == "ListUnstack") {
    Value x = made.input(0);
    Value shape = emit_.Join({emit_.Sizes(x, 0, 1), count_, emit_.Sizes(x, 1)});
    return emit_.Call("ListUnstack",
                      {emit_.Call("BroadcastTo", {emit_.Expand(x, 1), shape})});
  }
  emit_.Fail(InvalidArgument(
      StrCat("[vmap] \"", list.ToString(),
             "\" is a list of the same elements for all lanes, to which "
             "elements of lanes are added; wanted a list that begins empty")));
  return {};
}

}  // namespace sluice
