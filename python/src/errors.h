// sluice::Error as Python's own classes. The text is the one C++ programs see:
// op and what is wrong, the user's line, operands, iterations, modules.
//
//   InvalidArgument, AlreadyExists, DataLoss   ValueError
//     of an index that is too large            IndexError
//   OutOfRange                                 IndexError
//   NotFound                                   LookupError; of files
//                                              FileNotFoundError
//                                              (file_errors.h)
//   what the system refused                    OSError with its errno: the
//                                              class Python has for it
//   Unimplemented                              NotImplementedError
//   ResourceExhausted                          MemoryError
//   DeadlineExceeded                           TimeoutError
//   Unavailable                                ConnectionError
//   Cancelled                                  sluice.CancelledError, which is
//   a
//                                              RuntimeError; what Ctrl-C
//                                              stopped KeyboardInterrupt
//                                              (interrupt.h)
//   FailedPrecondition, Aborted, Internal      RuntimeError
//
// The exception's attribute sluice_code names the code. One that passes through
// C++ again, as from the body of a loop, is the same object with lines added.
#pragma once

#include "common.h"

namespace sluice::py {

// Errors that leave a function of the module become exceptions of Python.
void TranslateErrors();

// Adds CancelledError.
void BindErrors(nb::module_& m);

// Sets the OSError for an error that tells of one of the system's; false for
// others, and where there was no memory.
bool SetSystemError(const Error& error);

// Sets the exception that stands for this one. For code that is called by
// Python directly, not through nanobind. REQUIRES: inside a catch block.
void SetPythonError();

[[noreturn]] void ThrowTypeError(const std::string& message);
[[noreturn]] void ThrowValueError(const std::string& message);

}  // namespace sluice::py
