#include "sluice/state/queue_store.h"

#include <algorithm>
#include <deque>
#include <iterator>
#include <tuple>

#include "sluice/state/splitmix.h"

namespace sluice {

namespace {

class FifoStore final : public QueueStore {
 public:
  int64_t size() const override { return static_cast<int64_t>(line_.size()); }
  void Push(Element e) override { line_.push_back(std::move(e)); }
  Element Pop() override {
    Element e = std::move(line_.front());
    line_.pop_front();
    return e;
  }
  void PutBack(std::vector<Element> elements) override {
    line_.insert(line_.begin(), std::make_move_iterator(elements.begin()),
                 std::make_move_iterator(elements.end()));
  }

 private:
  std::deque<Element> line_;
};

class ShuffleStore final : public QueueStore {
 public:
  ShuffleStore(int64_t min_after_dequeue, uint64_t seed)
      : min_after_(min_after_dequeue), random_(seed) {}

  int64_t size() const override { return static_cast<int64_t>(pool_.size()); }
  int64_t ready(bool drained) const override {
    return drained ? size() : std::max<int64_t>(size() - min_after_, 0);
  }
  void Push(Element e) override { pool_.push_back(std::move(e)); }
  Element Pop() override {
    size_t k = random_.Below(pool_.size());
    Element e = std::move(pool_[k]);
    if (k + 1 != pool_.size()) pool_[k] = std::move(pool_.back());
    pool_.pop_back();
    return e;
  }
  void PutBack(std::vector<Element> elements) override {
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
    heap_.push_back(std::move(e));
    std::push_heap(heap_.begin(), heap_.end(), Later);
  }
  Element Pop() override {
    std::pop_heap(heap_.begin(), heap_.end(), Later);
    Element e = std::move(heap_.back());
    heap_.pop_back();
    return e;
  }
  void PutBack(std::vector<Element> elements) override {
    for (Element& e : elements) Push(std::move(e));
  }
  void Arrange(std::vector<Element>& elements) const override {
    std::sort(elements.begin(), elements.end(),
              [](const Element& a, const Element& b) { return Later(b, a); });
  }

 private:
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
