// RecordWriter: a file of records (record_format.h) that steps append to. The
// file is made with the first record; what was appended is sure to be in it
// after Flush() or Close(), and no record comes after Close().
//
// Thread safe: one lock, held while a call's records are written, so that they
// stay together.
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
    bool append = false;  // to what is in the file already
    std::string ToString() const;
  };

  RecordWriter(std::string name, const Spec& spec)
      : NamedResource(std::move(name), spec.ToString()), spec_(spec) {}

  // Error: FailedPrecondition after Close().
  Status Append(std::span<const std::string> records);
  Status Flush();
  // Also makes the file when there was no record. Twice is once.
  Status Close();

 private:
  Status Open() SL_REQUIRES(mu_);

  const Spec spec_;
  Mutex mu_;
  std::unique_ptr<OutputFile> file_ SL_GUARDED_BY(mu_);
  bool closed_ SL_GUARDED_BY(mu_) = false;
};

}  // namespace sluice
