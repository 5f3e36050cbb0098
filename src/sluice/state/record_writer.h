// RecordWriter: a file of records (record_format.h) that steps append to. The
// first record creates the file. Appended records are guaranteed to be in the
// file after Flush() or Close(); no record is accepted after Close().
//
// Thread safe: one lock is held while the records of a call are written, so
// that they stay together.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "sluice/base/thread_annotations.h"
#include "sluice/formats/record_format.h"
#include "sluice/state/named_resource.h"

namespace sluice {

class RecordWriter : public NamedResource {
 public:
  static constexpr char kKind[] = "record writer";
  const void* tag() const override { return kKind; }

  struct Spec {
    std::string path;
    bool append = false;  // to the existing content of the file
    std::string ToString() const;
  };

  RecordWriter(std::string name, const Spec& spec)
      : NamedResource(std::move(name), spec.ToString()), spec_(spec) {}

  // Error: FailedPrecondition after Close().
  Status Append(std::span<const std::string> records);
  Status Flush();
  // Also creates the file if there was no record. A second call has no effect.
  Status Close();

 private:
  Status Open() SL_REQUIRES(mu_);

  const Spec spec_;
  Mutex mu_;
  std::unique_ptr<OutputFile> file_ SL_GUARDED_BY(mu_);
  bool closed_ SL_GUARDED_BY(mu_) = false;
};

}  // namespace sluice
