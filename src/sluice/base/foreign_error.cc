#include "sluice/base/foreign_error.h"

namespace sluice {

constinit std::atomic<AddLineToForeignError*> add_line_to_foreign_error{
    nullptr};

}  // namespace sluice
