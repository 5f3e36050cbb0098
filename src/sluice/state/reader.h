// Reader: the records of a list of files, one after another. Where it stands
// outlives steps, and can be written down and gone back to.
//
// Thread safe: one lock, held while a record is read, so that every record goes
// to exactly one caller, in order. A file that is damaged or cannot be opened
// is given up with an error, and the next call goes on with the next file.
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
    // "reader of lines from 2 files": equal for equal specs only.
    std::string ToString() const;
  };

  struct Record {
    std::string key;  // "path:7": the line, or the byte where it begins
    std::string value;
  };

  static Result<Ref<Reader>> Make(std::string name, const Spec& spec);
  // REQUIRES: spec.Check() is OK.
  Reader(std::string name, const Spec& spec);

  // Error: OutOfRange when there is nothing left.
  Result<Record> Read();
  // At least one record and at most n, fewer only when there are no more.
  // REQUIRES: n >= 1.
  Result<std::vector<Record>> ReadUpTo(int64_t n);

  // Back to the first record of the first file.
  void Restart();
  // Other files, from the first record on.
  void SetFiles(std::vector<std::string> files);

  // Where the reader stands, as text, and back to such a place.
  std::string State() const;
  Status Restore(const std::string& state);

  int64_t records_read() const;

 private:
  // The next record, or none left (false).
  Result<bool> Next(Record* record) SL_REQUIRES(mu_);
  // Makes paths of patterns, once.
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
  size_t next_file_ SL_GUARDED_BY(mu_) = 0;  // the one open is before it
  std::unique_ptr<InputFile> file_ SL_GUARDED_BY(mu_);
  int64_t line_ SL_GUARDED_BY(mu_) = 0;  // lines read of it
  int64_t records_ SL_GUARDED_BY(mu_) = 0;
  Status pending_ SL_GUARDED_BY(mu_);  // met by ReadUpTo, not told yet
};

}  // namespace sluice
