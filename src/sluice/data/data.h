// Input pipelines: sources, stages that transform and order their elements, and
// loaders that track their position.
#pragma once

#include "sluice/data/csv.h"
#include "sluice/data/dataset.h"
#include "sluice/data/example.h"
#include "sluice/data/file_reader.h"
#include "sluice/data/find_file.h"
#include "sluice/data/idx.h"
#include "sluice/data/loader.h"
#include "sluice/data/mnist.h"
#include "sluice/data/numpy_files.h"
#include "sluice/data/queue_runner.h"
#include "sluice/data/record_files.h"
#include "sluice/data/sources.h"
