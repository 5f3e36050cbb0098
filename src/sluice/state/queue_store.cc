#include "sluice/state/queue_store.h"

#include <algorithm>
#include <iterator>
#include <tuple>

#include "sluice/state/splitmix.h"

namespace sluice {

namespace {

// Ensures capacity for this many elements; at least doubles it when it grows.
void MakeRoom(std::vector<Element>& list, size_t places) {
  if (list.capacity() >= places) return;
  list.reserve(std::max(places, 2 * list.capacity()));
}

// A ring buffer: elements can be put back at the front.
class FifoStore final : public QueueStore {
 public:
  int64_t size() const override { return static_cast<int64_t>(count_); }
  void Push(Element e) override {
    if (ring_.size() < places()) Grow();
    at(count_++) = std::move(e);
  }

 protected:
  Element Take() override {
    Element e = std::move(at(0));
    head_ = (head_ + 1) % ring_.size();
    --count_;
    return e;
  }
  void Return(std::vector<Element>& elements) noexcept override {
    for (auto e = elements.rbegin(); e != elements.rend(); ++e) {
      head_ = (head_ + ring_.size() - 1) % ring_.size();
      ++count_;
      at(0) = std::move(*e);
    }
  }

 private:
  Element& at(size_t i) { return ring_[(head_ + i) % ring_.size()]; }
  void Grow() {
    constexpr size_t kFirst = 8;
    std::vector<Element> more(std::max({places(), kFirst, 2 * ring_.size()}));
    for (size_t i = 0; i < count_; ++i) more[i] = std::move(at(i));
    ring_ = std::move(more);
    head_ = 0;
  }

  std::vector<Element> ring_;
  size_t head_ = 0, count_ = 0;
};

class ShuffleStore final : public QueueStore {
 public:
  ShuffleStore(int64_t min_after_dequeue, uint64_t seed)
      : min_after_(min_after_dequeue), random_(seed) {}

  int64_t size() const override { return static_cast<int64_t>(pool_.size()); }
  int64_t ready(bool drained) const override {
    return drained ? size() : std::max<int64_t>(size() - min_after_, 0);
  }
  void Push(Element e) override {
    MakeRoom(pool_, places());
    pool_.push_back(std::move(e));
  }

 protected:
  Element Take() override {
    size_t k = random_.Below(pool_.size());
    Element e = std::move(pool_[k]);
    if (k + 1 != pool_.size()) pool_[k] = std::move(pool_.back());
    pool_.pop_back();
    return e;
  }
  void Return(std::vector<Element>& elements) noexcept override {
    for (Element& e : elements) pool_.push_back(std::move(e));
  }

 private:
  const int64_t min_after_;
  SplitMix random_;
  std::vector<Element> pool_;
};

class PriorityStore final : public QueueStore {
 public:
  int64_t size() const override { return static_cast<int64_t>(heap_.size()); }
  void Push(Element e) override {
    MakeRoom(heap_, places());
    Insert(std::move(e));
  }
  void Arrange(std::vector<Element>& elements) const override {
    std::sort(elements.begin(), elements.end(),
              [](const Element& a, const Element& b) { return Later(b, a); });
  }

 protected:
  Element Take() override {
    std::pop_heap(heap_.begin(), heap_.end(), Later);
    Element e = std::move(heap_.back());
    heap_.pop_back();
    return e;
  }
  void Return(std::vector<Element>& elements) noexcept override {
    for (Element& e : elements) Insert(std::move(e));
  }

 private:
  void Insert(Element e) noexcept {
    heap_.push_back(std::move(e));
    std::push_heap(heap_.begin(), heap_.end(), Later);
  }
  static bool Later(const Element& a, const Element& b) {
    auto key = [](const Element& e) {
      return std::tuple(e.parts[0].data<int64_t>()[0], e.sequence);
    };
    return key(a) > key(b);
  }
  std::vector<Element> heap_;
};

}  // namespace

std::unique_ptr<QueueStore> MakeFifoStore() {
  return std::make_unique<FifoStore>();
}

std::unique_ptr<QueueStore> MakeShuffleStore(int64_t min_after_dequeue,
                                             uint64_t seed) {
  return std::make_unique<ShuffleStore>(min_after_dequeue, seed);
}

std::unique_ptr<QueueStore> MakePriorityStore() {
  return std::make_unique<PriorityStore>();
}

}  // namespace sluice
