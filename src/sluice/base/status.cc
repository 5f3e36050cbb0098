#include "sluice/base/status.h"

#include <cstdio>
#include <string>

#include "sluice/base/error.h"
#include "sluice/base/strings.h"

namespace sluice {

std::string_view CodeName(Code code) {
  switch (code) {
    case Code::kOk:
      return "OK";
    case Code::kCancelled:
      return "Cancelled";
    case Code::kInvalidArgument:
      return "InvalidArgument";
    case Code::kNotFound:
      return "NotFound";
    case Code::kAlreadyExists:
      return "AlreadyExists";
    case Code::kFailedPrecondition:
      return "FailedPrecondition";
    case Code::kOutOfRange:
      return "OutOfRange";
    case Code::kUnimplemented:
      return "Unimplemented";
    case Code::kInternal:
      return "Internal";
    case Code::kAborted:
      return "Aborted";
    case Code::kDeadlineExceeded:
      return "DeadlineExceeded";
    case Code::kResourceExhausted:
      return "ResourceExhausted";
    case Code::kDataLoss:
      return "DataLoss";
    case Code::kUnavailable:
      return "Unavailable";
  }
  return "Unknown";
}

Status::Status(Code code, std::string message) {
  if (code != Code::kOk) {
    rep_ = std::make_shared<const Rep>(Rep{code, std::move(message)});
  }
}

const std::string& Status::message() const {
  static const std::string kEmpty;
  return rep_ ? rep_->message : kEmpty;
}

Status Status::WithLine(std::string_view line) const {
  if (ok()) return *this;
  return Status(code(), StrCat(message(), "\n  ", line));
}

std::string Status::ToString() const {
  if (ok()) return "OK";
  return StrCat(CodeName(code()), ": ", message());
}

Status Cancelled(std::string m) { return {Code::kCancelled, std::move(m)}; }
Status InvalidArgument(std::string m) {
  return {Code::kInvalidArgument, std::move(m)};
}
Status NotFound(std::string m) { return {Code::kNotFound, std::move(m)}; }
Status AlreadyExists(std::string m) {
  return {Code::kAlreadyExists, std::move(m)};
}
Status FailedPrecondition(std::string m) {
  return {Code::kFailedPrecondition, std::move(m)};
}
Status OutOfRange(std::string m) { return {Code::kOutOfRange, std::move(m)}; }
Status Unimplemented(std::string m) {
  return {Code::kUnimplemented, std::move(m)};
}
Status Internal(std::string m) { return {Code::kInternal, std::move(m)}; }
Status Aborted(std::string m) { return {Code::kAborted, std::move(m)}; }
Status DeadlineExceeded(std::string m) {
  return {Code::kDeadlineExceeded, std::move(m)};
}
Status ResourceExhausted(std::string m) {
  return {Code::kResourceExhausted, std::move(m)};
}
Status DataLoss(std::string m) { return {Code::kDataLoss, std::move(m)}; }

void CheckFailed(const char* file, int line, const char* what) {
  // The calling program survives: it gets an error, as for all other failures.
  // In code that may not throw, this ends the process with the line below as
  // the last output.
  std::fprintf(stderr, "sluice: broken invariant at %s:%d: %s\n", file, line,
               what);
  throw Error(Internal(std::string("broken invariant at ") + file + ":" +
                       std::to_string(line) + ": " + what +
                       " (a mistake in Sluice: please report it)"));
}

}  // namespace sluice
