// Stage: the description of one step of a pipeline (a source, a map, a shuffle,
// ...). A pass over the data opens a Cursor of the last stage, which opens
// those of the stages before it.
//
// Many sources have random access to rows (Table). Stages that only choose and
// order rows (shuffle, shard, take, ...) then work on row numbers (Order), and
// batch gathers its rows from the source in one call: no tensor is made for a
// single row, and moving to a position costs at most a few nanoseconds per row.
//
// Stages and tables are immutable and shared by all threads. Cursors and orders
// belong to one thread at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "sluice/data/element.h"

namespace sluice::data {

// The number of the pass: shuffles differ from pass to pass.
struct Pass {
  uint64_t epoch = 0;
};

// A sequence of elements.
class Cursor {
 public:
  virtual ~Cursor() = default;
  // False at the end, and from then on. After an error the cursor is unusable.
  virtual Result<bool> Next(Element* element) = 0;
  // Skips n elements, or all that are left if there are fewer.
  virtual Status Skip(int64_t n);
};

// A sequence of row numbers of a table.
class Order {
 public:
  virtual ~Order() = default;
  // Fills `rows`; with fewer only at the end. Returns how many.
  virtual Result<size_t> Next(std::span<int64_t> rows) = 0;
  virtual Status Skip(int64_t n);
};

// Rows with random access.
class Table {
 public:
  virtual ~Table() = default;
  // REQUIRES for both: row numbers are in range.
  virtual Result<Element> Row(int64_t row) const = 0;
  // One element, with axis 0 of each component as the rows.
  virtual Result<Element> Rows(std::span<const int64_t> rows) const;
  // Whether reading a row twice costs next to nothing.
  virtual bool cheap() const { return false; }
  // This table with component i of type u8 converted to f32 and multiplied by
  // `factor`; null if this must be done element by element.
  virtual std::shared_ptr<const Table> Scaled(size_t, float) const {
    return nullptr;
  }
};

inline constexpr int64_t kUnknownSize = -1, kEndless = -2;

class Stage {
 public:
  virtual ~Stage() = default;

  // "shuffle(10000, seed 7)": everything that affects the elements, and nothing
  // else (no threads or buffers). Describe adds `before`.
  virtual std::string Name() const = 0;
  virtual int64_t size() const = 0;
  // Threads that make elements, for use by later stages.
  virtual int threads() const { return before_ ? before_->threads() : 0; }

  // Null without random access. Then OpenOrder is not called.
  virtual std::shared_ptr<const Table> table() const { return nullptr; }
  virtual Result<std::unique_ptr<Order>> OpenOrder(const Pass& pass) const;
  // Whether the order is that of the table, from first row to last.
  virtual bool in_order() const { return false; }
  // For stages with a table: reads its rows in order.
  virtual Result<std::unique_ptr<Cursor>> Open(const Pass& pass) const;

  const std::shared_ptr<const Stage>& before() const { return before_; }
  // All stages from the source on: "tensors(100) > shuffle(...) > batch(8)".
  std::string Describe() const;

 protected:
  Stage() = default;
  explicit Stage(std::shared_ptr<const Stage> before)
      : before_(std::move(before)) {}
  std::shared_ptr<const Stage> before_;  // null for sources
};

using StageRef = std::shared_ptr<const Stage>;

}  // namespace sluice::data
