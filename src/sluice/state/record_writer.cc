#include "sluice/state/record_writer.h"

#include "sluice/base/strings.h"

namespace sluice {

std::string RecordWriter::Spec::ToString() const {
  return StrCat("record writer ", append ? "appending " : "", "to \"",
                EscapeString(path), "\"");
}

Status RecordWriter::Open() {
  if (closed_) {
    return FailedPrecondition(
        StrCat("record writer \"", name(), "\" is closed"));
  }
  if (file_) return OkStatus();
  SL_ASSIGN_OR_RETURN(file_, OutputFile::Open(spec_.path, spec_.append));
  return OkStatus();
}

Status RecordWriter::Append(std::span<const std::string> records) {
  MutexLock lock(mu_);
  SL_RETURN_IF_ERROR(Open());
  for (const std::string& record : records) {
    SL_RETURN_IF_ERROR(file_->Write(FrameRecord(record)));
  }
  return OkStatus();
}

Status RecordWriter::Flush() {
  MutexLock lock(mu_);
  return file_ ? file_->Flush() : OkStatus();
}

Status RecordWriter::Close() {
  MutexLock lock(mu_);
  if (closed_) return OkStatus();
  SL_RETURN_IF_ERROR(Open());
  closed_ = true;
  Status status = file_->Close();
  file_.reset();
  return status;
}

}  // namespace sluice
