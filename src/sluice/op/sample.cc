#include "sluice/op/sample.h"

#include <utility>

namespace sluice {

SampleInput::SampleInput(std::initializer_list<int64_t> dims) : shape(dims) {}
SampleInput::SampleInput(Shape s) : shape(std::move(s)) {}
SampleInput::SampleInput(Array v) : shape(v.shape()), value(std::move(v)) {}
SampleInput::SampleInput(const SampleInput&) = default;
SampleInput::SampleInput(SampleInput&&) noexcept = default;
SampleInput& SampleInput::operator=(const SampleInput&) = default;
SampleInput& SampleInput::operator=(SampleInput&&) noexcept = default;
SampleInput::~SampleInput() = default;

SampleInputs::SampleInputs() noexcept = default;
SampleInputs::SampleInputs(std::initializer_list<SampleInput> inputs)
    : vector(inputs) {}
SampleInputs::SampleInputs(std::vector<SampleInput> inputs) noexcept
    : vector(std::move(inputs)) {}
SampleInputs::SampleInputs(const SampleInputs&) = default;
SampleInputs::SampleInputs(SampleInputs&&) noexcept = default;
SampleInputs& SampleInputs::operator=(const SampleInputs&) = default;
SampleInputs& SampleInputs::operator=(SampleInputs&&) noexcept = default;
SampleInputs::~SampleInputs() = default;

}  // namespace sluice
