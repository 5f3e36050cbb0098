#include "file_errors.h"

#include <cerrno>

#include "errors.h"
#include "sluice/base/strings.h"
#include "sluice/formats/utf8.h"

namespace sluice::py {

void ThrowFileError(const Error& error) {
  if (SetSystemError(error)) throw nb::python_error();
  // "no checkpoint in", "no file ... in": not errors of the system.
  std::string_view text = error.what();
  bool file = text.find("no checkpoint") != text.npos ||
              text.find("no file") != text.npos;
  if (error.code() == Code::kNotFound && file) {
    nb::object args = nb::make_tuple(ENOENT, error.what());
    PyErr_SetObject(PyExc_FileNotFoundError, args.ptr());
    throw nb::python_error();
  }
  // The message may quote the file's contents, which may not be text.
  throw Error(Status(error.code(), ValidUtf8(error.what())));
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
