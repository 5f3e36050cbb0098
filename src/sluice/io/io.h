// Files of tensors and values: JSON, safetensors, checkpoints.
#pragma once

#include "sluice/io/checkpoint.h"
#include "sluice/io/json.h"
#include "sluice/io/load_into.h"
#include "sluice/io/safetensors.h"
