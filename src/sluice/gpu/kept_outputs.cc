#include "sluice/gpu/kept_outputs.h"

#include <atomic>

#include "sluice/tensor/same_elements.h"

namespace sluice {

namespace {
constexpr size_t kMostPlaces = 2;
}  // namespace

struct KeptOutputs::Place {
  Array memory;
  std::atomic<bool> taken{false};

  // The same elements with a reference count of their own.
  static Array HandOut(std::shared_ptr<Place> place) {
    place->taken.store(true, std::memory_order_relaxed);
    const Array& memory = place->memory;
    auto* keep = new std::shared_ptr<Place>(std::move(place));
    return SameElements(
        memory,
        [](void* kept) {
          std::unique_ptr<std::shared_ptr<Place>> back(
              static_cast<std::shared_ptr<Place>*>(kept));
          (*back)->taken.store(false, std::memory_order_release);
        },
        keep);
  }
};

Result<Array> KeptOutputs::Take(size_t output, DType dtype, const Shape& shape,
                                Allocator& allocator) {
  {
    MutexLock lock(mu_);
    if (places_.size() <= output) places_.resize(output + 1);
    for (const std::shared_ptr<Place>& place : places_[output]) {
      if (!place->taken.load(std::memory_order_acquire)) {
        return Place::HandOut(place);
      }
    }
  }
  // Without the lock: an allocation that fails asks this object to free memory.
  SL_ASSIGN_OR_RETURN(Array made, Array::Make(dtype, shape, allocator));
  MutexLock lock(mu_);
  auto& places = places_[output];
  if (places.size() == kMostPlaces || !made.buffer()) return made;
  places.push_back(std::make_shared<Place>());
  places.back()->memory = std::move(made);
  return Place::HandOut(places.back());
}

bool KeptOutputs::GiveBack() {
  std::vector<std::shared_ptr<Place>> free;  // outlives the lock
  MutexLock lock(mu_);
  for (auto& places : places_) {
    std::erase_if(places, [&](const std::shared_ptr<Place>& place) {
      if (place->taken.load(std::memory_order_acquire)) return false;
      free.push_back(place);
      return true;
    });
  }
  return !free.empty();
}

}  // namespace sluice
