#include "sluice/batching/batch_scope.h"

#include <algorithm>

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

bool CanHaveLanes(const Value& list) {
  if (list.node->is_args()) return false;
  Role role = list.node->op().role;
  return role == Role::kListNew || role == Role::kListUnstack ||
         role == Role::kListZero;
}

LaneForm BatchScope::FormOf(Value of_one) const {
  bool picks = false;
  for (const BatchScope* s = this; s; s = s->outer_) {
    if (auto it = s->map_.find(of_one); it != s->map_.end()) {
      LaneForm form = it->second.form();
      bool boxes = picks && IsList(of_one) && form == LaneForm::kTogether;
      return boxes ? LaneForm::kBoxed : form;
    }
    picks = picks || s->picked_;
  }
  return LaneForm::kSingle;
}

LaneForm BatchScope::Joined(const std::vector<Formed>& values) {
  LaneForm joined = LaneForm::kSingle;
  for (const Formed& v : values) joined = std::max(joined, v.form);
  if (joined != LaneForm::kTogether) return joined;
  for (const Formed& v : values) {
    if (v.form == LaneForm::kSingle && IsList(v.of_one) &&
        !CanHaveLanes(v.of_one)) {
      return LaneForm::kBoxed;
    }
  }
  return joined;
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
    if (IsList(found.value) && !found.boxed) {
      // Once, outside this region, however often the region runs.
      Value& boxed = outer_->boxed_[of_one];
      if (!boxed) boxed = outer_->Boxed(found);
      found = {boxed, true, true};
    }
    found.value = emit_.PickLanes(found.value, picked_);
    map_[of_one] = found;
  }
  return found;
}

Value BatchScope::Full(Lanes lanes) {
  if (!emit_.ok()) return lanes.value;
  if (IsList(lanes.value)) return Boxed(lanes);
  if (lanes.batched) return lanes.value;
  Value shape = emit_.Join({count_, emit_.Sizes(lanes.value)});
  Value full = emit_.Call("BroadcastTo", {lanes.value, shape});
  emit_.Refine(full, WithLanes(lanes.value.shape(), known_count()));
  return full;
}

Value BatchScope::In(LaneForm form, Lanes lanes) {
  if (!emit_.ok() || lanes.form() == form) return lanes.value;
  if (!IsList(lanes.value)) return Full(lanes);
  return form == LaneForm::kBoxed ? Boxed(lanes) : FullList(lanes.value);
}

Value BatchScope::Boxed(Lanes list) {
  if (list.boxed || !emit_.ok()) return list.value;
  if (list.batched) {
    return emit_.Call("ListLanes", {list.value, emit_.ScalarOf(count_)});
  }
  Value one = emit_.Call("ListAppend", {emit_.NoLists(), list.value});
  Value first = emit_.Call("BroadcastTo", {emit_.Int(0), count_});
  return emit_.Call("ListSelect", {one, first});
}

// A list with lanes, from a list that is the same for all.
Value BatchScope::FullList(Value list) {
  if (!emit_.ok()) return {};
  const Node& made = *list.node;
  if (CanHaveLanes(list) && made.op().role == Role::kListZero) return list;
  if (CanHaveLanes(list) && made.op().role == Role::kListNew) {
    Attrs attrs = made.attrs();
    attrs.set("shape",
              WithLanes(attrs.get<PartialShape>("shape"), known_count()));
    return emit_.Call("ListNew", {made.input(0)}, attrs);
  }
  if (CanHaveLanes(list)) {
    Value x = made.input(0);
    Value shape = emit_.Join({emit_.Sizes(x, 0, 1), count_, emit_.Sizes(x, 1)});
    return emit_.Call("ListUnstack",
                      {emit_.Call("BroadcastTo", {emit_.Expand(x, 1), shape})});
  }
  emit_.Fail(Internal(StrCat("[vmap] \"", list.ToString(),
                             "\" is a list of the same elements for all "
                             "lanes, and was expected to have lanes")));
  return {};
}

}  // namespace sluice
