#include <array>

#include "sluice/base/strings.h"
#include "sluice/data/stages.h"

namespace sluice::data {

namespace {

// Random draws from a buffer that is refilled with the next item. Items are row
// numbers or elements: the order is the same for both.
template <class Item>
class ShuffleBuffer {
 public:
  ShuffleBuffer(int64_t capacity, Random random)
      : capacity_(static_cast<size_t>(capacity)), random_(random) {}

  // `take(&item)`: Result<bool>.
  template <class Take>
  Result<bool> Next(Item* item, Take&& take) {
    while (!ended_ && items_.size() < capacity_) {
      Item next;
      SL_ASSIGN_OR_RETURN(bool any, take(&next));
      if (any) {
        items_.push_back(std::move(next));
      } else {
        ended_ = true;
      }
    }
    if (items_.empty()) return false;
    Item& drawn = items_[random_.below(items_.size())];
    *item = std::move(drawn);
    // The next call refills the buffer at its end, so the last item moves to
    // the place that was drawn, as it does when there are no more items.
    if (&drawn != &items_.back()) drawn = std::move(items_.back());
    items_.pop_back();
    return true;
  }

 private:
  const size_t capacity_;
  Random random_;
  std::vector<Item> items_;
  bool ended_ = false;
};

class ShuffledOrder final : public Order {
 public:
  ShuffledOrder(std::unique_ptr<Order> before, int64_t capacity, Random random)
      : before_(std::move(before)), buffer_(capacity, random) {}

  Result<size_t> Next(std::span<int64_t> rows) override {
    for (size_t i = 0; i < rows.size(); ++i) {
      SL_ASSIGN_OR_RETURN(bool any, buffer_.Next(&rows[i], [&](int64_t* row) {
        return Take(row);
      }));
      if (!any) return i;
    }
    return rows.size();
  }

 private:
  Result<bool> Take(int64_t* row) {
    if (used_ == got_) {
      SL_ASSIGN_OR_RETURN(got_, before_->Next(chunk_));
      used_ = 0;
      if (got_ == 0) return false;
    }
    *row = chunk_[used_++];
    return true;
  }

  const std::unique_ptr<Order> before_;
  ShuffleBuffer<int64_t> buffer_;
  std::array<int64_t, 256> chunk_;
  size_t used_ = 0, got_ = 0;
};

class ShuffledCursor final : public Cursor {
 public:
  ShuffledCursor(std::unique_ptr<Cursor> before, int64_t capacity,
                 Random random)
      : before_(std::move(before)), buffer_(capacity, random) {}
  Result<bool> Next(Element* element) override {
    return buffer_.Next(element,
                        [&](Element* next) { return before_->Next(next); });
  }

 private:
  const std::unique_ptr<Cursor> before_;
  ShuffleBuffer<Element> buffer_;
};

class Shuffle final : public Stage {
 public:
  Shuffle(StageRef before, int64_t buffer, uint64_t seed)
      : Stage(std::move(before)), buffer_(buffer), seed_(seed) {}

  std::string Name() const override {
    return StrCat("shuffle(", buffer_, ", seed ", seed_, ")");
  }
  int64_t size() const override { return before_->size(); }
  std::shared_ptr<const Table> table() const override {
    return before_->table();
  }
  Result<std::unique_ptr<Order>> OpenOrder(const Pass& pass) const override {
    SL_ASSIGN_OR_RETURN(auto order, before_->OpenOrder(pass));
    return std::unique_ptr<Order>(std::make_unique<ShuffledOrder>(
        std::move(order), buffer_, RandomOf(pass)));
  }
  Result<std::unique_ptr<Cursor>> Open(const Pass& pass) const override {
    if (table()) return Stage::Open(pass);
    SL_ASSIGN_OR_RETURN(auto cursor, before_->Open(pass));
    return std::unique_ptr<Cursor>(std::make_unique<ShuffledCursor>(
        std::move(cursor), buffer_, RandomOf(pass)));
  }

 private:
  Random RandomOf(const Pass& pass) const {
    return Random(seed_, pass.epoch, 0);
  }
  const int64_t buffer_;
  const uint64_t seed_;
};

}  // namespace

StageRef ShuffleStage(StageRef before, int64_t buffer, uint64_t seed) {
  Want(buffer >= 1 && buffer < (int64_t{1} << 32),
       StrCat("[shuffle] buffer is ", buffer, "; wanted 1 to 2^32 - 1"));
  return std::make_shared<Shuffle>(std::move(before), buffer, seed);
}

}  // namespace sluice::data
