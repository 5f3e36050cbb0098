// sluice::Error as Python exceptions. The text is the same as in C++: the op
// and the error, the user's line, operands, iterations, modules.
//
//   InvalidArgument, AlreadyExists, DataLoss   ValueError
//     of an index out of range                 IndexError
//   OutOfRange                                 IndexError
//   NotFound                                   LookupError; of files
//                                              FileNotFoundError
//                                              (file_errors.h)
//   system errors                              OSError with its errno: the
//                                              class Python has for it
//   Unimplemented                              NotImplementedError
//   ResourceExhausted                          MemoryError
//   DeadlineExceeded                           TimeoutError
//   Unavailable                                ConnectionError
//   Cancelled                                  sluice.CancelledError, a
//                                              RuntimeError; after Ctrl-C
//                                              KeyboardInterrupt (interrupt.h)
//   FailedPrecondition, Aborted, Internal      RuntimeError
//
// The exception's attribute sluice_code names the code. One that passes through
// C++ again, as from the body of a loop, is the same object with lines added.
#pragma once

#include "common.h"

namespace sluice::py {

// Errors that leave a function of the module become Python exceptions.
void TranslateErrors();

// Adds CancelledError.
void BindErrors(nb::module_& m);

// Sets OSError for an error that reports a system error; false for other
// errors, and if memory is out.
bool SetSystemError(const Error& error);

// Sets the exception for the current error, in code that Python calls directly,
// not through nanobind. REQUIRES: inside a catch block.
void SetPythonError();

[[noreturn]] void ThrowTypeError(const std::string& message);
[[noreturn]] void ThrowValueError(const std::string& message);

}  // namespace sluice::py
