#include "sluice/data/position.h"

#include "sluice/base/error.h"
#include "sluice/base/strings.h"
#include "sluice/data/position_text.h"

namespace sluice::data {

Position::Position(StageRef stage, uint64_t epoch)
    : stage_(std::move(stage)), epoch_(epoch) {}
Position::~Position() = default;

void Position::Open() {
  auto cursor = stage_->Open({epoch_});
  status_ = cursor.status();
  if (status_.ok()) {
    cursor_ = std::move(*cursor);
    if (taken_ > 0) status_ = cursor_->Skip(taken_);
  }
}

bool Position::Next(Element* element) {
  if (ended_) return false;
  if (status_.ok() && !cursor_) Open();
  if (status_.ok()) {
    Result<bool> any = cursor_->Next(element);
    status_ = any.status();
    if (any.ok() && *any) {
      ++taken_;
      return true;
    }
    ended_ = any.ok();
  }
  cursor_.reset();
  ThrowIfError(status_);
  return false;
}

void Position::Start(uint64_t epoch) {
  cursor_.reset();
  status_ = OkStatus();
  epoch_ = epoch;
  taken_ = 0;
  ended_ = false;
}

std::string Position::State() const {
  return PositionText{stage_->Describe(), epoch_, taken_}.ToText();
}

void Position::Restore(const std::string& state) {
  PositionText to = ValueOrThrow(PositionText::Parse(state));
  std::string mine = stage_->Describe();
  if (to.pipeline != mine) {
    throw Error(InvalidArgument(
        StrCat("[data] this is a position in another pipeline: \"",
               EscapeString(to.pipeline), "\"; wanted \"", mine, "\"")));
  }
  Start(to.epoch);
  taken_ = to.taken;
}

}  // namespace sluice::data
