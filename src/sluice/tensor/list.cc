#include "sluice/tensor/list.h"

#include <algorithm>
#include <atomic>
#include <new>

#include "sluice/base/strings.h"

namespace sluice {

namespace {
std::atomic<int64_t> list_copies{0};
}  // namespace

int64_t ListValue::copies() {
  return list_copies.load(std::memory_order_relaxed);
}

namespace {
// Elements of lists that ended inside another one's end, to be dropped by the
// outermost: lists are nested deeper than calls should be.
thread_local std::vector<std::vector<Array>>* ending = nullptr;
}  // namespace

ListValue::~ListValue() {
  if (dtype_ != DType::kList || elements_.empty()) return;
  if (ending) {
    try {
      ending->push_back(std::move(elements_));
    } catch (const std::bad_alloc&) {
      // Then they end here, one inside the other.
    }
    return;
  }
  std::vector<std::vector<Array>> open;
  ending = &open;
  elements_.clear();
  while (!open.empty()) {
    std::vector<Array> elements = std::move(open.back());
    open.pop_back();
    elements.clear();
  }
  ending = nullptr;
}

PartialShape ListValue::ElementShape() const {
  if (shape_.fully_known()) return shape_;
  const Array* first = nullptr;
  for (const Array& e : elements_) {
    if (!e) continue;
    if (!first) first = &e;
    // Elements of several shapes say nothing of one that is not there.
    if (!(e.shape() == first->shape())) return shape_;
  }
  return first ? PartialShape(first->shape()) : shape_;
}

Status ListValue::CheckElement(const Array& element) const {
  if (element.dtype() != dtype_ || !shape_.Covers(element.shape())) {
    return InvalidArgument(StrCat("the element is ", element.TypeText(),
                                  "; wanted ", TypeText(dtype_, shape_),
                                  " as the list holds"));
  }
  if (dtype_ == DType::kList) {
    const ListValue* inner = ListOf(element);
    // No list at all is the zero of lists.
    if (inner && inner->depth() >= kMaxListDepth) {
      return InvalidArgument(StrCat("the element is a list nested ",
                                    inner->depth(), " deep; wanted less than ",
                                    kMaxListDepth));
    }
  }
  return OkStatus();
}

Status ListValue::Reserve(int64_t size) {
  if (size > max_size_) {
    return ResourceExhausted(StrCat("a list of ", size,
                                    " elements is too long; wanted at most ",
                                    max_size_));
  }
  try {
    elements_.reserve(static_cast<size_t>(size));
  } catch (const std::bad_alloc&) {
    return ResourceExhausted(
        StrCat("no memory for a list of ", size, " elements"));
  }
  return OkStatus();
}

Status ListValue::Resize(int64_t size) {
  // Twice as much as before, so that growing one by one stays cheap.
  bool fits = size <= static_cast<int64_t>(elements_.capacity());
  if (!fits || size > max_size_) {
    int64_t room = std::max(size, std::min(2 * this->size(), max_size_));
    SL_RETURN_IF_ERROR(Reserve(room));
  }
  elements_.resize(static_cast<size_t>(size));
  if (taken_.size() > elements_.size()) taken_.resize(elements_.size());
  return OkStatus();
}

Status ListValue::Append(Array element) {
  SL_RETURN_IF_ERROR(Resize(size() + 1));
  Set(size() - 1, std::move(element));
  return OkStatus();
}

void ListValue::Set(int64_t i, Array element) {
  if (dtype_ == DType::kList) {
    const ListValue* inner = ListOf(element);
    depth_ = std::max(depth_, inner ? inner->depth() + 1 : 2);
  }
  auto k = static_cast<size_t>(i);
  elements_[k] = std::move(element);
  if (k < taken_.size()) taken_[k] = 0;
}

Array ListValue::Take(int64_t i) {
  auto k = static_cast<size_t>(i);
  if (taken_.size() <= k) taken_.resize(k + 1);
  taken_[k] = 1;
  return std::exchange(elements_[k], Array());
}

Array ListValue::Clear(int64_t i) {
  auto k = static_cast<size_t>(i);
  if (k < taken_.size()) taken_[k] = 0;
  return std::exchange(elements_[k], Array());
}

Ref<ListValue> ListValue::Hollow(DType dtype, int64_t size) {
  Ref<ListValue> list = MakeRef<ListValue>(dtype, PartialShape());
  list->hollow_size_ = size;
  return list;
}

std::string ListValue::Describe() const {
  return StrCat("list of ", size(), " ", TypeText(dtype_, ElementShape()));
}

bool ListValue::EqualTo(const ResourceBase& other) const {
  if (other.tag() != kKind) return false;
  const auto& o = static_cast<const ListValue&>(other);
  if (dtype_ != o.dtype_ || size() != o.size()) return false;
  for (int64_t i = 0; i < size(); ++i) {
    const Array &a = at(i), &b = o.at(i);
    if (static_cast<bool>(a) != static_cast<bool>(b)) return false;
    if (taken(i) != o.taken(i) || (a && !a.BitEquals(b))) return false;
  }
  return true;
}

ListValue* ListOf(const Array& array) {
  if (!array || array.dtype() != DType::kList || array.num_elements() != 1) {
    return nullptr;
  }
  ResourceBase* held = array.handle().get();
  return held && held->tag() == ListValue::kKind ? static_cast<ListValue*>(held)
                                                 : nullptr;
}

Array ListArray(Ref<ListValue> list) {
  return Array::Handle(Ref<ResourceBase>(std::move(list)), DType::kList);
}

Result<Array> WritableList(const Array& list) {
  const ListValue& old = *ListOf(list);
  if (list.unique() && old.unique()) return list;
  list_copies.fetch_add(1, std::memory_order_relaxed);
  Ref<ListValue> copy =
      MakeRef<ListValue>(old.dtype_, old.shape_, old.max_size_);
  copy->depth_ = old.depth_;
  try {
    // Room for what is about to be added: the first append of many must not
    // copy twice.
    copy->elements_.reserve(old.elements_.size() + 1);
    copy->elements_ = old.elements_;
    copy->taken_ = old.taken_;
  } catch (const std::bad_alloc&) {
    return ResourceExhausted(
        StrCat("no memory for a copy of a ", old.Describe()));
  }
  return ListArray(std::move(copy));
}

}  // namespace sluice
