// Arrays in NumPy's file formats: .npy holds one, .npz (a zip archive of .npy
// files) several by name.
//
//   sl::Tensor x = io::read_npy("x.npy");
//   sl::StateDict all = io::read_npz("weights.npz");
//   io::write_npz("copy.npz", all);
//
// Types: bool, whole numbers, f16, f32, f64, complex64, of either byte order;
// fixed-size byte and Unicode strings become strings. Pickled objects are
// refused. Written files hold what np.save and np.savez would write. Nothing is
// read beyond the bytes of a file whatever is in it.
//
// Free functions, for any thread. They throw sluice::Error: the file, the byte,
// got, wanted.
#pragma once

#include <string>
#include <string_view>

#include "sluice/base/status.h"
#include "sluice/front/state_dict.h"

namespace sluice::io {

Tensor read_npy(const std::string& path);
void write_npy(const std::string& path, const Tensor& tensor);

StateDict read_npz(const std::string& path);
void write_npz(const std::string& path, const StateDict& tensors);

// The same for bytes in memory; `what` names them in messages.
Result<Array> ParseNpy(std::string_view bytes, const std::string& what);
Result<std::string> NpyBytes(const Array& array);

}  // namespace sluice::io
