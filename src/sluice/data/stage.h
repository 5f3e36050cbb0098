// Stage: one step of a pipeline (a source, a map, a shuffle, ...), as it was
// described. A pass over the data opens a Cursor of the last stage, which opens
// those before it.
//
// Many sources can be asked for any row (Table). Stages that only choose and
// order rows (shuffle, shard, take, ...) then work on row numbers (Order), and
// batch gathers its rows from the source in one go: no tensor is ever made for
// a single row, and going to a position costs a few nanoseconds a row or none.
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

// Which pass over the data: shuffles differ from pass to pass.
struct Pass {
  uint64_t epoch = 0;
};

// Elements one after another.
class Cursor {
 public:
  virtual ~Cursor() = default;
  // False at the end, and from then on. After an error the cursor is of no use.
  virtual Result<bool> Next(Element* element) = 0;
  // Leaves n elements out, or all that are left when they are fewer.
  virtual Status Skip(int64_t n);
};

// Row numbers of a table one after another.
class Order {
 public:
  virtual ~Order() = default;
  // Fills `rows`; fewer only at the end. Returns how many.
  virtual Result<size_t> Next(std::span<int64_t> rows) = 0;
  virtual Status Skip(int64_t n);
};

// Rows that can be had in any order.
class Table {
 public:
  virtual ~Table() = default;
  // REQUIRES of both: row numbers are in range.
  virtual Result<Element> Row(int64_t row) const = 0;
  // One element in which axis 0 of each component counts the rows.
  virtual Result<Element> Rows(std::span<const int64_t> rows) const;
  // Asking twice for a row costs next to nothing.
  virtual bool cheap() const { return false; }
  // This table with component i of type u8 as f32, times `factor`; null when
  // it must be done element by element.
  virtual std::shared_ptr<const Table> Scaled(size_t, float) const {
    return nullptr;
  }
};

inline constexpr int64_t kUnknownSize = -1, kEndless = -2;

class Stage {
 public:
  virtual ~Stage() = default;

  // "shuffle(10000, seed 7)": all that decides what comes out, and nothing
  // else (no threads, no buffers between them). `before` is added by Describe.
  virtual std::string Name() const = 0;
  virtual int64_t size() const = 0;
  // Threads that make elements, for stages after this one to use.
  virtual int threads() const { return before_ ? before_->threads() : 0; }

  // Null when rows cannot be asked for. Then OpenOrder is not called.
  virtual std::shared_ptr<const Table> table() const { return nullptr; }
  virtual Result<std::unique_ptr<Order>> OpenOrder(const Pass& pass) const;
  // The order is that of the table, from its first row to its last.
  virtual bool in_order() const { return false; }
  // For stages with a table: its rows in order.
  virtual Result<std::unique_ptr<Cursor>> Open(const Pass& pass) const;

  const std::shared_ptr<const Stage>& before() const { return before_; }
  // Every stage from the source on: "tensors(100) > shuffle(...) > batch(8)".
  std::string Describe() const;

 protected:
  Stage() = default;
  explicit Stage(std::shared_ptr<const Stage> before)
      : before_(std::move(before)) {}
  std::shared_ptr<const Stage> before_;  // null for sources
};

using StageRef = std::shared_ptr<const Stage>;

}  // namespace sluice::data
