#include "sluice/data/file_reader.h"

namespace sluice::data {

using front_internal::MakeHandle;
using front_internal::Outputs;
using front_internal::UseHandle;

FileReader::Record FileReader::read(Where where) const {
  auto parts = Outputs(UseHandle("ReaderRead", handle_, {}, {}, where));
  return {parts[0], parts[1]};
}

FileReader::Record FileReader::read_up_to(const Operand& n, Where where) const {
  auto parts =
      Outputs(UseHandle("ReaderReadUpTo", handle_, {&n, 1}, {}, where));
  return {parts[0], parts[1]};
}

Operation FileReader::reset(Where where) const {
  return UseHandle("ReaderReset", handle_, {}, {}, where);
}

Tensor FileReader::state(Where where) const {
  return UseHandle("ReaderState", handle_, {}, {}, where).output();
}

Operation FileReader::restore(const Operand& state, Where where) const {
  return UseHandle("ReaderRestore", handle_, {&state, 1}, {}, where);
}

FileReader text_reader(const Files& files, const TextReaderOptions& options,
                       std::source_location where) {
  return FileReader(
      MakeHandle("TextLineReader",
                 {{"files", files.paths()}, {"skip_lines", options.skip_lines}},
                 options.resource, where));
}

FileReader record_reader(const Files& files, const ResourceOptions& options,
                         std::source_location where) {
  return FileReader(
      MakeHandle("RecordReader", {{"files", files.paths()}}, options, where));
}

}  // namespace sluice::data
