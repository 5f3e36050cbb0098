// Files of tensors: safetensors, npy, npz.
#include "sluice/io/io.h"

#include <algorithm>

#include "bindings.h"
#include "file_errors.h"
#include "io_parts.h"
#include "named_tensors.h"
#include "operand.h"
#include "sluice/io/npy.h"

namespace sluice::py {

namespace {

io::Metadata MetadataOf(nb::handle mapping) {
  io::Metadata metadata;
  if (mapping.is_none()) return metadata;
  for (nb::handle item : nb::iter(mapping.attr("items")())) {
    metadata.emplace_back(nb::cast<std::string>(item[0]),
                          nb::cast<std::string>(item[1]));
  }
  return metadata;
}

nb::dict TextsOf(const io::Metadata& metadata) {
  nb::dict dict;
  for (const auto& [name, text] : metadata) {
    dict[nb::str(name.data(), name.size())] = nb::str(text.data(), text.size());
  }
  return dict;
}

void BindSafetensors(nb::module_& m) {
  m.def(
      "save_safetensors",
      [](nb::handle path, nb::handle state, nb::handle metadata,
         int64_t max_bytes) {
        std::string to = PathOf(path);
        StateDict tensors = StateOf(state, "save");
        io::Metadata text = MetadataOf(metadata);
        OnFiles([&] {
          if (max_bytes > 0) {
            io::save_sharded_safetensors(to, tensors, max_bytes, text);
          } else {
            io::save_safetensors(to, tensors, text);
          }
        });
      },
      "path"_a, "state"_a, "metadata"_a.none() = nb::none(), "max_bytes"_a = 0);
  m.def(
      "load_safetensors",
      [](nb::handle path) {
        std::string from = PathOf(path);
        return DictOf(OnFiles([&] { return io::load_safetensors(from); }));
      },
      "path"_a);
  using Reader = io::SafetensorsReader;
  nb::class_<Reader>(m, "SafetensorsReader")
      .def("__init__",
           [](Reader* self, nb::handle path) {
             std::string from = PathOf(path);
             new (self) Reader(OnFiles([&] { return Reader(from); }));
           })
      .def("infos",
           [](const Reader& self) {
             nb::list infos;
             for (const io::TensorInfo& info : self.tensors()) {
               infos.append(nb::make_tuple(info.name, info.type,
                                           nb::tuple(nb::cast(info.shape)),
                                           info.bytes));
             }
             return infos;
           })
      .def("metadata",
           [](const Reader& self) { return TextsOf(self.metadata()); })
      .def("contains",
           [](const Reader& self, std::string_view name) {
             return self.contains(name);
           })
      .def("read", [](const Reader& self, const std::string& name) {
        return OnFiles([&] { return self.read(name); });
      });
}

void BindNumpyFiles(nb::module_& m) {
  m.def("read_npy", [](nb::handle path) {
    std::string from = PathOf(path);
    return OnFiles([&] { return io::read_npy(from); });
  });
  m.def("write_npy", [](nb::handle path, nb::handle tensor) {
    std::string to = PathOf(path);
    Tensor t = ToHostTensor(tensor, "save");
    OnFiles([&] { io::write_npy(to, t); });
  });
  m.def("read_npz", [](nb::handle path) {
    std::string from = PathOf(path);
    return DictOf(OnFiles([&] { return io::read_npz(from); }));
  });
  m.def("write_npz", [](nb::handle path, nb::handle state) {
    std::string to = PathOf(path);
    StateDict tensors = StateOf(state, "save");
    OnFiles([&] { io::write_npz(to, tensors); });
  });
}

nb::list RowsOf(const std::vector<io::KeyReport::Row>& rows) {
  nb::list list;
  for (const auto& row : rows) {
    list.append(nb::make_tuple(row.name, row.got, row.wanted));
  }
  return list;
}

using Pairs = std::vector<std::pair<std::string, std::string>>;

void BindLoadInto(nb::module_& m) {
  nb::class_<io::KeyReport>(m, "KeyReport",
                            "How the names in a file compare with those "
                            "wanted: lists of (name, got, wanted).")
      .def_prop_ro("missing",
                   [](io::KeyReport& r) { return RowsOf(r.missing); })
      .def_prop_ro("extra", [](io::KeyReport& r) { return RowsOf(r.extra); })
      .def_prop_ro("mismatched",
                   [](io::KeyReport& r) { return RowsOf(r.mismatched); })
      .def_ro("fitting", &io::KeyReport::fitting)
      .def_prop_ro("clean", &io::KeyReport::clean)
      .def("table", &io::KeyReport::table)
      .def("__repr__", &io::KeyReport::table);
  m.def(
      "load_into",
      [](nb::handle targets, nb::handle from, const Pairs& rename,
         const Pairs& prefixes, bool strict) {
        return io::load_into(
            StateOf(targets, "targets"), StateOf(from, "from"),
            {.rename = rename, .prefixes = prefixes, .strict = strict});
      },
      "targets"_a, "from_"_a, "rename"_a, "prefixes"_a, "strict"_a);
}

}  // namespace

void BindIo(nb::module_& m) {
  BindSafetensors(m);
  BindNumpyFiles(m);
  BindLoadInto(m);
  BindCheckpoints(m);
}

}  // namespace sluice::py
