#include "sluice/data/record_files.h"

#include "sluice/base/file.h"
#include "sluice/base/strings.h"
#include "sluice/formats/inflate.h"
#include "sluice/formats/packed_file.h"
#include "sluice/formats/record_format.h"

namespace sluice::data {

namespace {

// Records of one file.
class RecordFile {
 public:
  virtual ~RecordFile() = default;
  virtual Result<bool> Next(std::string* record) = 0;
};

class PlainFile final : public RecordFile {
 public:
  PlainFile(std::unique_ptr<InputFile> file, const RecordFormat& format)
      : file_(std::move(file)), format_(format) {}
  Result<bool> Next(std::string* record) override {
    return format_.Next(*file_, record);
  }

 private:
  const std::unique_ptr<InputFile> file_;
  const RecordFormat format_;
};

// Lines of a text in memory.
class UnpackedLines final : public RecordFile {
 public:
  UnpackedLines(std::string text, int64_t skip)
      : text_(std::move(text)), skip_(skip) {}
  Result<bool> Next(std::string* record) override {
    for (; skip_ > 0; --skip_) Line();
    if (at_ >= text_.size()) return false;
    std::string_view line = Line();
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    record->assign(line);
    return true;
  }

 private:
  std::string_view Line() {
    std::string_view rest = std::string_view(text_).substr(at_);
    size_t end = rest.find('\n');
    at_ = end == rest.npos ? text_.size() : at_ + end + 1;
    return rest.substr(0, end);
  }
  const std::string text_;
  int64_t skip_;
  size_t at_ = 0;
};

Result<std::unique_ptr<RecordFile>> OpenRecords(const std::string& path,
                                                const RecordFormat& format) {
  SL_ASSIGN_OR_RETURN(std::unique_ptr<InputFile> file, InputFile::Open(path));
  std::string head;
  SL_RETURN_IF_ERROR(file->Read(2, &head));
  if (LooksLikeGzip(head)) {
    if (format.kind != RecordFormat::Kind::kLines) {
      return DataLoss(StrCat(QuotedPath(path),
                             " at byte 0: gzip data; wanted plain records"));
    }
    SL_ASSIGN_OR_RETURN(std::string text, ReadMaybePacked(path));
    return std::unique_ptr<RecordFile>(
        std::make_unique<UnpackedLines>(std::move(text), format.skip_lines));
  }
  SL_RETURN_IF_ERROR(file->Seek(0));
  SL_RETURN_IF_ERROR(format.Start(*file));
  return std::unique_ptr<RecordFile>(
      std::make_unique<PlainFile>(std::move(file), format));
}

class RecordCursor final : public Cursor {
 public:
  RecordCursor(std::vector<std::string> paths, const RecordFormat& format)
      : paths_(std::move(paths)), format_(format) {}

  Result<bool> Next(Element* element) override {
    std::string record;
    SL_ASSIGN_OR_RETURN(bool any, Read(&record));
    if (any) *element = {TensorOf(Array::Scalar(std::move(record)))};
    return any;
  }
  Status Skip(int64_t n) override {
    std::string record;
    for (; n > 0; --n) {
      SL_ASSIGN_OR_RETURN(bool any, Read(&record));
      if (!any) break;
    }
    return OkStatus();
  }

 private:
  Result<bool> Read(std::string* record) {
    for (;;) {
      if (!file_) {
        if (next_ == paths_.size()) return false;
        SL_ASSIGN_OR_RETURN(file_, OpenRecords(paths_[next_++], format_));
      }
      SL_ASSIGN_OR_RETURN(bool any, file_->Next(record));
      if (any) return true;
      file_.reset();
    }
  }

  const std::vector<std::string> paths_;
  const RecordFormat format_;
  size_t next_ = 0;
  std::unique_ptr<RecordFile> file_;
};

class RecordStage final : public Stage {
 public:
  RecordStage(std::vector<std::string> paths, const RecordFormat& format,
              std::string name)
      : paths_(std::move(paths)), format_(format), name_(std::move(name)) {}
  std::string Name() const override { return name_; }
  int64_t size() const override { return kUnknownSize; }
  Result<std::unique_ptr<Cursor>> Open(const Pass&) const override {
    return std::unique_ptr<Cursor>(
        std::make_unique<RecordCursor>(paths_, format_));
  }

 private:
  const std::vector<std::string> paths_;
  const RecordFormat format_;
  const std::string name_;
};

// Paths that exist literally are files, others are patterns.
Dataset<1> Records(const Files& files, const RecordFormat& format,
                   std::string_view what) {
  std::vector<std::string> paths;
  for (const std::string& path : files.paths()) {
    if (FileExists(path)) {
      paths.push_back(path);
      continue;
    }
    std::vector<std::string> found = ValueOrThrow(MatchingFiles(path));
    if (found.empty()) {
      throw Error(NotFound(
          StrCat("[", what, "] no file is called ", QuotedPath(path))));
    }
    paths.insert(paths.end(), found.begin(), found.end());
  }
  std::string name = StrCat(
      what, "(", paths.size(), paths.size() == 1 ? " file" : " files",
      format.skip_lines ? StrCat(", skip ", format.skip_lines) : "", ")");
  return Dataset<1>(
      std::make_shared<RecordStage>(std::move(paths), format, std::move(name)));
}

}  // namespace

Dataset<1> text_lines(const Files& files, TextLinesOptions options) {
  Want(options.skip >= 0,
       StrCat("[text_lines] skip is ", options.skip, "; wanted 0 or more"));
  RecordFormat format{.kind = RecordFormat::Kind::kLines,
                      .skip_lines = options.skip};
  return Records(files, format, "text_lines");
}

Dataset<1> tfrecord(const Files& files) {
  return Records(files, {.kind = RecordFormat::Kind::kRecords}, "tfrecord");
}

struct TFRecordWriter::Impl {
  std::unique_ptr<OutputFile> file;
};

TFRecordWriter::TFRecordWriter(const std::string& path)
    : impl_(std::make_unique<Impl>()) {
  impl_->file = ValueOrThrow(OutputFile::Open(path, false));
}
TFRecordWriter::~TFRecordWriter() = default;
TFRecordWriter::TFRecordWriter(TFRecordWriter&&) noexcept = default;

void TFRecordWriter::write(std::string_view record) {
  ThrowIfError(impl_->file->Write(FrameRecord(record)));
}
void TFRecordWriter::close() { ThrowIfError(impl_->file->Close()); }

}  // namespace sluice::data
