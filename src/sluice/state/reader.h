// Reader: reads the records of a list of files, one after another. Its position
// survives steps and can be saved and restored.
//
// Thread safe: one lock is held while a record is read, so every record goes to
// exactly one caller, in order. If a file is damaged or cannot be opened, the
// call fails and the next call continues with the next file.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sluice/base/thread_annotations.h"
#include "sluice/formats/record_format.h"
#include "sluice/state/named_resource.h"

namespace sluice {

class Reader : public NamedResource {
 public:
  static constexpr char kKind[] = "reader";
  const void* tag() const override { return kKind; }

  struct Spec {
    RecordFormat format;
    std::vector<std::string> files;  // paths or patterns
    Status Check() const { return format.Check(); }
    // Reads like "reader of lines from 2 files"; equal for equal specs only.
    std::string ToString() const;
  };

  struct Record {
    std::string key;  // "path:7": the line number, or the start byte
    std::string value;
  };

  static Result<Ref<Reader>> Make(std::string name, const Spec& spec);
  // REQUIRES: spec.Check() is OK.
  Reader(std::string name, const Spec& spec);

  // Error: OutOfRange if no record is left.
  Result<Record> Read();
  // At least one and at most n records; fewer only if there are no more.
  // REQUIRES: n >= 1.
  Result<std::vector<Record>> ReadUpTo(int64_t n);

  // Returns to the first record of the first file.
  void Restart();
  // Continues with the first record of these files.
  void SetFiles(std::vector<std::string> files);

  // The position of the reader as text, for Restore.
  std::string State() const;
  Status Restore(const std::string& state);

  int64_t records_read() const;

 private:
  // Reads the next record; false if none is left.
  Result<bool> Next(Record* record) SL_REQUIRES(mu_);
  // Expands patterns to paths, once.
  Status Expand() SL_REQUIRES(mu_);
  Status OpenAt(size_t file, int64_t offset, int64_t line) SL_REQUIRES(mu_);
  void RewindLocked() SL_REQUIRES(mu_);
  Status AtEnd() const SL_REQUIRES(mu_);
  std::string who() const { return "reader \"" + name() + "\""; }

  const RecordFormat format_;
  mutable Mutex mu_;
  std::vector<std::string> patterns_ SL_GUARDED_BY(mu_);
  std::vector<std::string> paths_ SL_GUARDED_BY(mu_);
  bool expanded_ SL_GUARDED_BY(mu_) = false;
  size_t next_file_ SL_GUARDED_BY(mu_) = 0;  // the open file is the one before
  std::unique_ptr<InputFile> file_ SL_GUARDED_BY(mu_);
  int64_t line_ SL_GUARDED_BY(mu_) = 0;  // lines read from the open file
  int64_t records_ SL_GUARDED_BY(mu_) = 0;
  Status pending_ SL_GUARDED_BY(mu_);  // from ReadUpTo, not reported yet
};

}  // namespace sluice
