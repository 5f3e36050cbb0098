#include "sluice/tensor/list.h"

#include <algorithm>
#include <atomic>
#include <new>

#include "sluice/base/strings.h"

namespace sluice {

namespace {
std::atomic<int64_t> list_copies{0};
std::atomic<int64_t> list_elements_copied{0};
// The initial capacity of a list that grows.
constexpr int64_t kFirstRoom = 8;
}  // namespace

// The elements of lists destroyed inside another list's destructor, to be
// released by the outermost: lists may be nested deeper than calls should be.
thread_local std::vector<Ref<ListStore>>* ListValue::ending = nullptr;

int64_t ListValue::copies() {
  return list_copies.load(std::memory_order_relaxed);
}

int64_t ListValue::elements_copied() {
  return list_elements_copied.load(std::memory_order_relaxed);
}

ListValue::~ListValue() {
  if (dtype_ != DType::kList || !store_) return;
  if (ending) {
    try {
      ending->push_back(std::move(store_));
    } catch (const std::bad_alloc&) {
      // They are destroyed here, recursively.
    }
    return;
  }
  std::vector<Ref<ListStore>> open;
  ending = &open;
  store_ = nullptr;
  while (!open.empty()) {
    Ref<ListStore> next = std::move(open.back());
    open.pop_back();
  }
  ending = nullptr;
}
PartialShape ListValue::ElementShape() const {
  if (shape_.fully_known()) return shape_;
  if (holds_copies()) {
    for (int64_t i = 0; i < size_; ++i) {
      if (there(i)) return element_shape();
    }
    return shape_;
  }
  Array first;
  for (int64_t i = 0; i < size_; ++i) {
    Array e = at(i);
    if (!e) continue;
    if (!first) first = e;
    // Elements of different shapes imply nothing about a missing one.
    if (!(e.shape() == first.shape())) return shape_;
  }
  return first ? PartialShape(first.shape()) : shape_;
}

const char* ListValue::SideBySide() const {
  if (!holds_copies()) return nullptr;
  for (int64_t i = 0; i < size_; ++i) {
    if (!there(i)) return nullptr;
  }
  return store_->bytes();
}

bool ListValue::WouldCopy(const Array& element) const {
  if (holds_copies()) return store_->Fits(element);
  return !store_ && !hold_arrays_ && ListStore::IsShort(element);
}

Status ListValue::CheckElement(const Array& element) const {
  if (element.dtype() != dtype_ || !shape_.Covers(element.shape())) {
    return InvalidArgument(StrCat("the element is ", element.TypeText(),
                                  "; wanted ", TypeText(dtype_, shape_),
                                  " as the list holds"));
  }
  if (dtype_ == DType::kList) {
    const ListValue* inner = ListOf(element);
    // A missing list represents a zero list.
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
    // Before a write to a shared list: it moves in any case.
    if (size > capacity() || (store_ && !store_->unique())) Move(size);
  } catch (const std::bad_alloc&) {
    return ResourceExhausted(
        StrCat("no memory for a list of ", size, " elements"));
  }
  return OkStatus();
}

void ListValue::Move(int64_t capacity) {
  capacity = std::max(capacity, size_);
  if (!store_) {
    store_ = MakeRef<ListStore>(capacity, hold_arrays_);
    return;
  }
  list_elements_copied.fetch_add(size_, std::memory_order_relaxed);
  store_ = MakeRef<ListStore>(capacity, *store_, size_, store_->unique());
}

bool ListValue::UseNext() {
  if (size_ >= capacity()) return false;
  if (store_->unique()) {
    if (store_->used.load(std::memory_order_relaxed) == size_) {
      store_->used.store(size_ + 1, std::memory_order_relaxed);
    }
  } else {
    int64_t used = size_;
    if (!store_->used.compare_exchange_strong(used, size_ + 1)) return false;
  }
  ++size_;
  return true;
}

Status ListValue::Resize(int64_t size) {
  if (size <= size_ && store_ && !store_->unique() &&
      2 * size >= store_->used.load(std::memory_order_relaxed)) {
    // The store is shared: its end is only hidden, and nothing is written.
    // Below half of it the elements move, so that a short list does not hold a
    // long one's memory.
    size_ = size;
    auto n = static_cast<size_t>(size);
    if (taken_.size() > n) taken_.resize(n);
    return OkStatus();
  }
  bool fits = size <= capacity() && (!store_ || store_->unique());
  if (!fits || size > max_size_) {
    // Doubles the capacity, so that appending one by one stays cheap.
    int64_t room =
        size <= size_ ? size : std::max({size, 2 * size_, kFirstRoom});
    SL_RETURN_IF_ERROR(
        Reserve(size > max_size_ ? size : std::min(room, max_size_)));
  }
  if (store_) {
    // Elements that are cut off, and those that longer lists have left.
    int64_t used = store_->used.load(std::memory_order_relaxed);
    for (int64_t i = std::min(size, size_); i < used; ++i) {
      store_->Clear(i);
    }
    store_->used.store(size, std::memory_order_relaxed);
  }
  size_ = size;
  auto n = static_cast<size_t>(size);
  if (taken_.size() > n) taken_.resize(n);
  return OkStatus();
}

Status ListValue::Append(Array element) {
  if (size_ >= max_size_ || !UseNext()) SL_RETURN_IF_ERROR(Resize(size_ + 1));
  try {
    Put(size_ - 1, std::move(element));
  } catch (const std::bad_alloc&) {
    --size_;
    return ResourceExhausted(
        StrCat("no memory for a list of ", size_ + 1, " elements"));
  }
  return OkStatus();
}

void ListValue::Set(int64_t i, Array element) {
  Own();
  Put(i, std::move(element));
}

bool ListValue::CanTakeRows(const Array& x) const {
  return !store_ && !hold_arrays_ && x.contiguous() && x.dim(0) > 0 &&
         x.dim(0) <= max_size_ &&
         ListStore::CanBeShort(x, x.bytes() / x.dim(0));
}

Status ListValue::TakeRows(const Array& x, const Shape& row) {
  int64_t n = x.dim(0);
  try {
    store_ = MakeRef<ListStore>(x, row);
  } catch (const std::bad_alloc&) {
    return ResourceExhausted(
        StrCat("no memory for a list of ", n, " elements"));
  }
  size_ = n;
  return OkStatus();
}

void ListValue::Put(int64_t i, Array element) {
  if (dtype_ == DType::kList) {
    const ListValue* inner = ListOf(element);
    depth_ = std::max(depth_, inner ? inner->depth() + 1 : 2);
  }
  if (!store_->unique() && !store_->Fits(element)) Move(size_);
  store_->Put(i, std::move(element));
  auto k = static_cast<size_t>(i);
  if (k < taken_.size()) taken_[k] = 0;
}

Array ListValue::Take(int64_t i) {
  Own();
  auto k = static_cast<size_t>(i);
  if (taken_.size() <= k) taken_.resize(k + 1);
  taken_[k] = 1;
  return store_->Take(i);
}

Array ListValue::Clear(int64_t i) {
  Own();
  auto k = static_cast<size_t>(i);
  if (k < taken_.size()) taken_[k] = 0;
  return store_->Take(i);
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
    if (there(i) != o.there(i) || taken(i) != o.taken(i)) return false;
    if (there(i) && !at(i).BitEquals(o.at(i))) return false;
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
  copy->size_ = old.size_;
  copy->hold_arrays_ = old.hold_arrays_;
  copy->store_ = old.store_;
  try {
    copy->taken_ = old.taken_;
  } catch (const std::bad_alloc&) {
    return ResourceExhausted(
        StrCat("no memory for a copy of a ", old.Describe()));
  }
  return ListArray(std::move(copy));
}

}  // namespace sluice
