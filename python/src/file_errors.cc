#include "file_errors.h"

#include <cerrno>

#include "errors.h"
#include "sluice/base/strings.h"
#include "sluice/report/utf8.h"

namespace sluice::py {

namespace {

[[noreturn]] void Raise(PyObject* cls, int number, const char* text) {
  nb::object args = nb::make_tuple(number, text);
  PyErr_SetObject(cls, args.ptr());
  throw nb::python_error();
}

}  // namespace

void ThrowFileError(const Error& error) {
  // What the system refused reads: cannot read "x": No such file ...
  bool system =
      std::string_view(error.what()).find("cannot ") != std::string_view::npos;
  switch (error.code()) {
    case Code::kNotFound: {
      std::string_view text = error.what();
      bool file = system || text.find("no checkpoint") != text.npos ||
                  text.find("no file") != text.npos;
      if (file) Raise(PyExc_FileNotFoundError, ENOENT, error.what());
      break;
    }
    case Code::kFailedPrecondition:
      if (system) Raise(PyExc_PermissionError, EACCES, error.what());
      break;
    case Code::kResourceExhausted:
      if (system) Raise(PyExc_OSError, ENOSPC, error.what());
      break;
    case Code::kInvalidArgument:
    case Code::kDataLoss:
      if (system) Raise(PyExc_OSError, EIO, error.what());
      break;
    default:
      break;
  }
  // What a file holds may be quoted, and be no text.
  throw Error(Status(error.code(), report::ValidUtf8(error.what())));
}

std::string PathOf(nb::handle path) {
  PyObject* bytes = nullptr;
  if (!PyUnicode_FSConverter(path.ptr(), &bytes)) {
    PyErr_Clear();
    std::string got = Py_TYPE(path.ptr())->tp_name;
    if (got == "str" || got == "bytes") {
      ThrowValueError("a path with a zero byte, or no text");
    }
    ThrowTypeError(
        StrCat("a path is a ", got, "; wanted str, bytes or os.PathLike"));
  }
  nb::object owner = nb::steal(bytes);
  return std::string(PyBytes_AS_STRING(bytes),
                     static_cast<size_t>(PyBytes_GET_SIZE(bytes)));
}

}  // namespace sluice::py
