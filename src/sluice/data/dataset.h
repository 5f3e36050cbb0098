// Dataset: an input pipeline whose elements have N components, built by calls:
//
//   auto train = data::mnist("train").shuffle(10000, 7).batch(64);
//   for (int epoch = 0; epoch < 3; ++epoch)
//     for (auto& [images, labels] : train) step(images, labels);
//
// A loop is one pass over the data; each pass of one Dataset is shuffled in its
// own way, decided by the seed and its number. Whoever needs the position (to
// save and restore it) keeps an Iterator, or a Loader (data/loader.h).
//
// Results depend on the calls alone, never on threads. Functions given to map
// and filter must give equal results for equal elements; they are called from
// several threads where that is asked for, and not at all for elements that a
// later stage or a restored position leaves out.
//
// A handle, copied freely; calls do not change it but make another. Passes run
// independently, each in one thread at a time. Throws sluice::Error.
#pragma once

#include <array>
#include <atomic>
#include <iterator>
#include <optional>
#include <tuple>

#include "sluice/base/error.h"
#include "sluice/data/options.h"
#include "sluice/data/position.h"
#include "sluice/data/stages.h"

namespace sluice::data {

namespace data_internal {

// Throws when an element has another number of components.
void WantComponents(const Element& element, size_t n);

template <size_t N>
std::array<Tensor, N> ToArray(Element element) {
  WantComponents(element, N);
  std::array<Tensor, N> out;
  std::move(element.begin(), element.end(), out.begin());
  return out;
}

// What functions of maps return, as a list: a Tensor, or an array, a pair or a
// tuple of them.
inline Element ToList(Tensor t) { return {std::move(t)}; }
template <size_t N>
Element ToList(std::array<Tensor, N> a) {
  return Element(a.begin(), a.end());
}
template <class... Ts>
Element ToList(std::tuple<Ts...> t) {
  return std::apply([](auto&... each) { return Element{each...}; }, t);
}
inline Element ToList(std::pair<Tensor, Tensor> p) {
  return {std::move(p.first), std::move(p.second)};
}

template <class R>
inline constexpr size_t kComponents = std::tuple_size_v<R>;
template <>
inline constexpr size_t kComponents<Tensor> = 1;

// f(tensors...) or f(random, tensors...).
template <class F, size_t... I>
decltype(auto) Apply(F& f, const Element& element, Random& random,
                     std::index_sequence<I...>) {
  WantComponents(element, sizeof...(I));
  if constexpr (std::is_invocable_v<F&, Random&, decltype(element[I])...>) {
    return f(random, element[I]...);
  } else {
    (void)random;
    return f(element[I]...);
  }
}

template <class F, size_t... I>
constexpr bool TakesRandom(std::index_sequence<I...>) {
  return std::is_invocable_v<F&, Random&, decltype((void(I), Tensor()))...>;
}

}  // namespace data_internal

// One pass over a Dataset, and where it stands.
template <size_t N>
class Iterator {
 public:
  using Value = std::array<Tensor, N>;
  explicit Iterator(StageRef stage, uint64_t epoch = 0)
      : position_(std::make_unique<Position>(std::move(stage), epoch)) {}

  // Nothing at the end of the pass.
  std::optional<Value> next() {
    Element element;
    if (!position_->Next(&element)) return std::nullopt;
    return data_internal::ToArray<N>(std::move(element));
  }
  uint64_t epoch() const { return position_->epoch(); }
  int64_t taken() const { return position_->taken(); }
  // Back to the beginning of a pass.
  void start(uint64_t epoch) { position_->Start(epoch); }
  // Where it stands as a line of JSON, and back there: what comes then is bit
  // for bit what came after state().
  std::string state() const { return position_->State(); }
  void restore(const std::string& state) { position_->Restore(state); }

 private:
  std::unique_ptr<Position> position_;
};

// For range-for.
template <size_t N>
class RangeIterator {
 public:
  using value_type = std::array<Tensor, N>;
  using difference_type = std::ptrdiff_t;

  RangeIterator() = default;
  explicit RangeIterator(std::shared_ptr<Iterator<N>> pass)
      : pass_(std::move(pass)) {
    ++*this;
  }
  value_type& operator*() const { return *value_; }
  RangeIterator& operator++() {
    value_.reset();  // before the next: its memory can be used again
    value_ = pass_->next();
    return *this;
  }
  void operator++(int) { ++*this; }
  bool operator==(std::default_sentinel_t) const { return !value_; }

 private:
  std::shared_ptr<Iterator<N>> pass_;
  mutable std::optional<value_type> value_;
};

template <size_t N>
class Dataset {
 public:
  using Value = std::array<Tensor, N>;
  explicit Dataset(StageRef stage) : stage_(std::move(stage)) {}

  // ---- Elements ----
  // f(tensors...) -> a Tensor, or an array, a pair or a tuple of them; where it
  // takes a data::Random& first, it gets one of its own for every element.
  template <class F>
  auto map(F f, MapOptions options = {}) const {
    using Indices = std::make_index_sequence<N>;
    using R = std::decay_t<decltype(data_internal::Apply(
        f, Element(), std::declval<Random&>(), Indices()))>;
    ElementFn fn = [f = std::move(f)](const Element& element,
                                      Random& random) mutable {
      return data_internal::ToList(
          data_internal::Apply(f, element, random, Indices()));
    };
    return Dataset<data_internal::kComponents<R>>(
        MapStage(stage_, std::move(fn),
                 data_internal::TakesRandom<F>(Indices()), std::move(options)));
  }
  // Keeps elements for which f(tensors...) is true.
  template <class F>
  Dataset filter(F f) const {
    return Dataset(
        FilterStage(stage_, [f = std::move(f)](const Element& element) mutable {
          Random none;
          return data_internal::Apply(f, element, none,
                                      std::make_index_sequence<N>());
        }));
  }
  // Component i as f32, times a factor. Bytes of an array in memory become
  // floats while a batch is gathered.
  Dataset scale(size_t component, float factor) const {
    return Dataset(ScaleStage(stage_, component, factor));
  }

  // ---- Which, and in what order ----
  // Draws at random from a buffer of so many; one as large as the data mixes
  // evenly. Each pass is another order.
  Dataset shuffle(int64_t buffer, uint64_t seed = 0) const {
    return Dataset(ShuffleStage(stage_, buffer, seed));
  }
  // Every count-th element, from number index on.
  Dataset shard(int64_t index, int64_t count) const {
    return Dataset(ShardStage(stage_, index, count));
  }
  Dataset take(int64_t n) const { return Dataset(TakeStage(stage_, n)); }
  Dataset skip(int64_t n) const { return Dataset(SkipStage(stage_, n)); }
  // Pass after pass in one; stages before it are shuffled anew for each.
  Dataset repeat(int64_t times = kForever) const {
    return Dataset(RepeatStage(stage_, times));
  }

  // ---- Several as one ----
  Dataset batch(int64_t n, BatchOptions options = {}) const {
    return Dataset(BatchStage(stage_, n, options));
  }
  // Of tensors that differ in size: padded to the largest in the batch.
  Dataset padded_batch(int64_t n, PaddedBatchOptions options = {}) const {
    return Dataset(PaddedBatchStage(stage_, n, std::move(options)));
  }
  // Components of both; as long as the shorter one.
  template <size_t M>
  Dataset<N + M> zip(const Dataset<M>& other) const {
    return Dataset<N + M>(ZipStage(stage_, other.stage()));
  }
  Dataset concat(const Dataset& after) const {
    return Dataset(ConcatStage(stage_, after.stage()));
  }

  // ---- When ----
  // A thread keeps up to n elements ready.
  Dataset prefetch(int64_t n) const {
    return Dataset(PrefetchStage(stage_, n));
  }
  // Keeps what the first whole pass gives in memory, for the passes after it.
  Dataset cache() const { return Dataset(CacheStage(stage_)); }

  // Elements of a pass, where that is known and finite.
  std::optional<int64_t> size() const {
    int64_t n = stage_->size();
    return n < 0 ? std::nullopt : std::optional(n);
  }
  // "tensors(100) > shuffle(50, seed 7) > batch(8)".
  std::string describe() const { return stage_->Describe(); }
  const StageRef& stage() const { return stage_; }

  Iterator<N> iterator(uint64_t epoch = 0) const {
    return Iterator<N>(stage_, epoch);
  }
  // The next pass of this Dataset and its copies.
  RangeIterator<N> begin() const {
    return RangeIterator<N>(
        std::make_shared<Iterator<N>>(stage_, passes_->fetch_add(1)));
  }
  std::default_sentinel_t end() const { return {}; }

 private:
  StageRef stage_;
  std::shared_ptr<std::atomic<uint64_t>> passes_ =
      std::make_shared<std::atomic<uint64_t>>(0);
};

}  // namespace sluice::data
