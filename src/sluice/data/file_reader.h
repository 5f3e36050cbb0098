// FileReader: records of files as part of a graph, so that reading is a step
// like any other, run by several threads (data/queue_runner.h):
//
//   auto reader = data::text_reader({"a.csv", "b.csv"});
//   auto fill = queue.enqueue(sl::decode_csv(reader.read().value, ...));
//
// Every record goes to exactly one step; after the last one a step fails with
// code OutOfRange. Where the reader stands lives in the session, and can be
// saved and restored by its own ops.
//
// A handle, copied freely; the graph must outlive it. Paths may be patterns.
#pragma once

#include "sluice/data/record_files.h"
#include "sluice/front/resource.h"

namespace sluice::data {

class FileReader {
 public:
  using Where = std::source_location;
  explicit FileReader(Tensor handle) : handle_(std::move(handle)) {}

  struct Record {
    Tensor key;    // "path:7": the line, or the byte where it begins
    Tensor value;  // a string
  };
  Record read(Where where = Where::current()) const;
  // Vectors of n records, fewer only at the end.
  Record read_up_to(const Operand& n, Where where = Where::current()) const;
  // Back to the first record.
  Operation reset(Where where = Where::current()) const;
  // Where it stands as text, and back there.
  Tensor state(Where where = Where::current()) const;
  Operation restore(const Operand& state, Where where = Where::current()) const;

  const Tensor& handle() const { return handle_; }

 private:
  Tensor handle_;
};

struct TextReaderOptions {
  int64_t skip_lines = 0;  // at the beginning of each file
  ResourceOptions resource{};
};
FileReader text_reader(
    const Files& files, const TextReaderOptions& options = {},
    std::source_location where = std::source_location::current());
// TFRecord files.
FileReader record_reader(
    const Files& files, const ResourceOptions& options = {},
    std::source_location where = std::source_location::current());

}  // namespace sluice::data
