// Files of records as elements: lines of text, and the records of TFRecord
// files. Elements are 0-d strings, to be decoded by a map.
//
//   data::text_lines({"a.txt", "b.txt.gz"})
//   data::tfrecord("shards/*.tfrecord")
//       .map([](sl::Tensor bytes) { return decode(bytes.item<std::string>());
//       })
//
// Paths may be patterns (*, ?, [a-z]), whose files come sorted by name. A
// damaged or cut file is an error with its name and the byte.
#pragma once

#include "sluice/data/dataset.h"

namespace sluice::data {

// One path, or several: "a.txt", {"a.txt", "b.txt"}.
class Files {
 public:
  Files(const char* path) : paths_{path} {}
  Files(std::string path) : paths_{std::move(path)} {}
  Files(std::initializer_list<std::string> paths) : paths_(paths) {}
  Files(std::vector<std::string> paths) : paths_(std::move(paths)) {}
  const std::vector<std::string>& paths() const { return paths_; }

 private:
  std::vector<std::string> paths_;
};

struct TextLinesOptions {
  int64_t skip = 0;  // lines at the beginning of each file
};

// Without their ends ("\n" or "\r\n"). Files packed by gzip are unpacked whole.
Dataset<1> text_lines(const Files& files, TextLinesOptions options = {});
Dataset<1> tfrecord(const Files& files);

// Writes TFRecord files.
class TFRecordWriter {
 public:
  // Makes the file, or empties it.
  explicit TFRecordWriter(const std::string& path);
  ~TFRecordWriter();
  TFRecordWriter(TFRecordWriter&&) noexcept;
  void write(std::string_view record);
  // What was not written before; the destructor does it without a word.
  void close();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace sluice::data
