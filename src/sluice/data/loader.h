// Loader: a Dataset and the position in it, over all passes. A loop takes the
// next pass, or what restore() has left of one:
//
//   data::DataLoader loader(train_set, {.batch_size = 64, .shuffle = true});
//   if (resuming) loader.restore(saved);
//   while (loader.epoch() < 10) {
//     for (auto& [images, labels] : loader) {
//       step(images, labels);
//       if (time_to_save) saved = loader.state();
//     }
//   }
//
// Restored, it gives what an uninterrupted program would have had next, bit for
// bit. Not copied; one thread at a time. Throws sluice::Error.
#pragma once

#include "sluice/data/dataset.h"

namespace sluice::data {

template <size_t N>
class Loader {
 public:
  using Value = std::array<Tensor, N>;
  explicit Loader(const Dataset<N>& dataset)
      : dataset_(dataset), pass_(dataset.stage()) {}
  Loader(const Loader&) = delete;
  Loader& operator=(const Loader&) = delete;

  class Range {
   public:
    explicit Range(Loader* loader) : loader_(loader) { ++*this; }
    Value& operator*() const { return *value_; }
    Range& operator++() {
      value_.reset();
      value_ = loader_->next();
      return *this;
    }
    bool operator==(std::default_sentinel_t) const { return !value_; }

   private:
    Loader* loader_;
    mutable std::optional<Value> value_;
  };
  // A loop that was left early is not gone on with: the next pass begins.
  Range begin() {
    if (!restored_ && pass_.taken() > 0) pass_.start(pass_.epoch() + 1);
    restored_ = false;
    return Range(this);
  }
  std::default_sentinel_t end() const { return {}; }

  // The next element of this pass; nothing at its end, and then goes on with
  // the next one.
  std::optional<Value> next() {
    std::optional<Value> value = pass_.next();
    if (!value) pass_.start(pass_.epoch() + 1);
    return value;
  }
  // The pass the next element belongs to.
  uint64_t epoch() const { return pass_.epoch(); }
  // Elements of this pass that were handed out.
  int64_t taken() const { return pass_.taken(); }
  // Elements of a pass, where that is known and finite.
  std::optional<int64_t> size() const { return dataset_.size(); }
  const Dataset<N>& dataset() const { return dataset_; }

  std::string state() const { return pass_.state(); }
  void restore(const std::string& state) {
    pass_.restore(state);
    restored_ = true;
  }

 private:
  Dataset<N> dataset_;
  Iterator<N> pass_;
  bool restored_ = false;
};

struct DataLoaderOptions {
  int64_t batch_size = 1;
  bool shuffle = false;
  // Threads that make batches ahead of the loop; 0: the loop makes its own.
  int num_workers = 0;
  bool drop_last = false;
  uint64_t seed = 0;  // of the shuffle
};

// The stages of a DataLoader.
StageRef LoaderStage(StageRef stage, const DataLoaderOptions& options);

// A Loader by the names PyTorch has for it. Shuffles evenly where the size of
// the dataset is known, else with a buffer of 10000.
template <size_t N>
class DataLoader : public Loader<N> {
 public:
  explicit DataLoader(const Dataset<N>& dataset, DataLoaderOptions options = {})
      : Loader<N>(Dataset<N>(LoaderStage(dataset.stage(), options))) {}
};

}  // namespace sluice::data
