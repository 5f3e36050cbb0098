// Status and Result<T>: errors inside Sluice.
//
// An OK Status is a null pointer, so success costs nothing. A message states
// where, what, got, wanted: "[MatMul] inner sizes differ: a is f32[2,3], b is
// f32[4,5]; wanted a.dim(1) == b.dim(0)". The public API turns a Status into
// sluice::Error at one place (base/error.h). Immutable; share from any thread.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace sluice {

enum class Code : unsigned char {
  kOk = 0,
  kCancelled,
  kInvalidArgument,
  kNotFound,
  kAlreadyExists,
  kFailedPrecondition,
  kOutOfRange,
  kUnimplemented,
  kInternal,
  kAborted,
  kDeadlineExceeded,
  kResourceExhausted,
  kDataLoss,
  kUnavailable,
};

std::string_view CodeName(Code code);

class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(Code code, std::string message);

  bool ok() const { return rep_ == nullptr; }
  Code code() const { return rep_ ? rep_->code : Code::kOk; }
  const std::string& message() const;

  // The same error with one more line below its message: the user's line, the
  // operands, or the iteration. OK stays OK.
  Status WithLine(std::string_view line) const;

  std::string ToString() const;

 private:
  struct Rep {
    Code code;
    std::string message;
  };
  std::shared_ptr<const Rep> rep_;
};

inline Status OkStatus() { return {}; }
Status Cancelled(std::string message);
Status InvalidArgument(std::string message);
Status NotFound(std::string message);
Status AlreadyExists(std::string message);
Status FailedPrecondition(std::string message);
Status OutOfRange(std::string message);
Status Unimplemented(std::string message);
Status Internal(std::string message);
Status Aborted(std::string message);
Status DeadlineExceeded(std::string message);
Status ResourceExhausted(std::string message);
Status DataLoss(std::string message);

[[noreturn]] void CheckFailed(const char* file, int line, const char* what);

// A value, or the error that prevented it.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : value_(std::move(value)) {}
  Result(Status status) : status_(std::move(status)) {
    if (status_.ok()) CheckFailed(__FILE__, __LINE__, "Result made from OK");
  }

  bool ok() const { return value_.has_value(); }
  const Status& status() const { return status_; }

  // REQUIRES: ok().
  T& value() & {
    Require();
    return *value_;
  }
  const T& value() const& {
    Require();
    return *value_;
  }
  T&& value() && {
    Require();
    return std::move(*value_);
  }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

 private:
  void Require() const {
    if (!ok()) CheckFailed(__FILE__, __LINE__, status_.message().c_str());
  }
  std::optional<T> value_;
  Status status_;
};

}  // namespace sluice

#define SL_CONCAT_INNER(a, b) a##b
#define SL_CONCAT(a, b) SL_CONCAT_INNER(a, b)

#define SL_RETURN_IF_ERROR(expr)                                           \
  do {                                                                     \
    if (::sluice::Status sl_status = (expr); !sl_status.ok()) [[unlikely]] \
      return sl_status;                                                    \
  } while (0)

#define SL_ASSIGN_OR_RETURN(lhs, expr) \
  SL_ASSIGN_OR_RETURN_IMPL(SL_CONCAT(sl_result_, __LINE__), lhs, expr)
#define SL_ASSIGN_OR_RETURN_IMPL(tmp, lhs, expr) \
  auto tmp = (expr);                             \
  if (!tmp.ok()) [[unlikely]]                    \
    return tmp.status();                         \
  lhs = std::move(tmp).value()

// For bugs in Sluice only: must not be reachable from user or graph input.
#define SL_CHECK(condition)                                  \
  do {                                                       \
    if (!(condition)) [[unlikely]]                           \
      ::sluice::CheckFailed(__FILE__, __LINE__, #condition); \
  } while (0)
#ifdef NDEBUG
#define SL_DCHECK(condition) ((void)0)
#else
#define SL_DCHECK(condition) SL_CHECK(condition)
#endif
