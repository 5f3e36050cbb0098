// Files of tensors and values: JSON, safetensors, checkpoints.
#pragma once

#include "sluice/io/json.h"
#include "sluice/io/safetensors.h"
