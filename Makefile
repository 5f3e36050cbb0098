# The front door: `make demo` and `make test` work on a fresh Debian machine.
# Everything behind it is CMake (CMakePresets.json); see `make help`.

JOBS ?= $(shell nproc 2>/dev/null || echo 2)
TEST_JOBS ?= 2
# What a build without tests means: `ignore`, or `error` as in .ci/run.
NO_TESTS ?= ignore
# Where `make install` puts things.
PREFIX ?= /usr/local
# Arguments for `make bench`, e.g. make bench ARGS=executor
ARGS ?=
# The programs of `make fuzz-capture`: first:end.
SEEDS ?= 0:2000
# How long `make nemesis` goes on, and where it begins.
SECONDS ?= 600
SEED ?= 1

# Ninja when there is one. Found inside each recipe, not here: the step before
# may just have installed it. An existing build folder keeps its generator.
configure = if command -v ninja >/dev/null; then export CMAKE_GENERATOR=Ninja; \
    fi; cmake --preset $(1) --log-level=NOTICE
# The release build has the Python package in it, for this Python.
configure_release = python=$$(tools/python_env.sh); \
    $(call configure,release) $${python:+-D Python_EXECUTABLE=$$python}
build_only = cmake --build --preset $(1) -j $(JOBS)
build = $(call configure,$(1)) && $(call build_only,$(1))

# Compiler caches hit in every clone of the repository.
export CCACHE_BASEDIR ?= $(CURDIR)
export CCACHE_NOHASHDIR ?= 1

MAKEFLAGS += --no-print-directory

.PHONY: gpu-build gpu-test gpu-bench help deps build install test demo bench peers dev asan tsan cuda lint \
  format clean wheel test-wheel build-python test-interop bench-python bench-calls \
  bench-peers bench-check compare-ops compare-ways compare-modules coverage-page \
  asan-python fuzz-capture nemesis array-api-tests house

help:
	@echo "make demo     install what is missing, build, run the demo"
	@echo "make test     install what is missing, build, run every test"
	@echo "make build    optimised build; programs in build/release/bin"
	@echo "make install  build, then install to PREFIX=$(PREFIX)"
	@echo "make bench    build and run sluice-bench (ARGS=... goes to it)"
	@echo "make peers    PyTorch, JAX and others to test and measure against"
	@echo "make wheel    the Python package as a wheel, in build/wheels"
	@echo "make test-wheel    the same, installed in a fresh environment and used"
	@echo "make test-interop  the Python package beside PyTorch, JAX, TensorFlow"
	@echo "make bench-python  the Python package measured beside them"
	@echo "make bench-peers   whole programs on the CPU beside peers, one table"
	@echo "make bench-check   whether one of them has become slower"
	@echo "make bench-calls   the cost of calling captured functions"
	@echo "make compare-ops   every operator sample of PyTorch, there and here"
	@echo "make compare-ways  the same captured, under vmap, differentiated twice"
	@echo "make coverage-page  the list of PyTorch's names that are there"
	@echo "make compare-modules   the same for modules and optimizers"
	@echo "make fuzz-capture  random programs, captured and not (SEEDS=$(SEEDS))"
	@echo "make nemesis  kills, stops, full disks over training (SECONDS=$(SECONDS) SEED=$(SEED))"
	@echo "make array-api-tests  the array standard's tests (ARRAY_API_TESTS=path)"
	@echo "make dev      -O1 -g build with checks, by g++, in build/dev"
	@echo "make asan     every test under AddressSanitizer and UBSan"
	@echo "make asan-python   the Python package's tests under the same"
	@echo "make tsan     the threaded tests under ThreadSanitizer"
	@echo "make cuda     optimised build with the CUDA part, in build/cuda"
	@echo "make gpu-test      every GPU kernel against the CPU, and programs (needs a GPU)"
	@echo "make gpu-bench     the GPU beside PyTorch and JAX (ARGS=... goes to it)"
	@echo "make lint     layers, formatting, file sizes"
	@echo "make format   rewrite all C++ files in the house style"
	@echo "make house    figures of the code: sizes, functions, likeness, seconds"
	@echo "make clean    remove build/"
	@echo "JOBS=$(JOBS) compile jobs, TEST_JOBS=$(TEST_JOBS) test jobs"

deps:
	@tools/install_deps.sh

build:
	@$(configure_release) && $(call build_only,release)

install: build
	@cmake --install build/release --prefix $(PREFIX)

# docs/ops.md, docs/internal_ops.md, docs/cpp/api.md and docs/python/api.md are
# derived from op records, headers and docstrings: refreshed here, checked by tests.
test: deps
	@$(configure_release) && $(call build_only,release)
	@build/release/bin/sluice info --ops-markdown > docs/ops.md
	@build/release/bin/sluice info --internal-ops-markdown > docs/internal_ops.md
	@if command -v python3 >/dev/null; then \
	  python3 tools/cpp_api_pages.py > build/cpp_api.md && \
	  cp build/cpp_api.md docs/cpp/api.md; fi
	@if [ -e build/release/python/sluice/_core.pyi ]; then \
	  PYTHONPATH=build/release/python build/python-env/bin/python \
	    tools/python_api_pages.py > build/api.md && \
	  cp build/api.md docs/python/api.md; fi
	@ctest --preset release -j $(TEST_JOBS) \
	  --no-tests=$(NO_TESTS)

demo:
	@tools/install_deps.sh --demo
	@$(call build,release) --target app_sluice
	@build/release/bin/sluice demo --dir build/demo

bench:
	@$(call build,release) --target app_sluice_bench
	@build/release/bin/sluice-bench $(ARGS)

peers:
	@tools/peer_env.sh

wheel: deps
	@tools/wheel.sh

test-wheel: deps
	@tools/wheel.sh --test

# The Python package beside PyTorch, JAX, TensorFlow, TensorBoard, tqdm.
build-python: deps
	@$(configure_release) && $(call build_only,release) --target \
	  sluice_python_package

# A process for each file: two peers in one process may crash each other (the
# compilers that PyTorch and TensorFlow bring both export LLVM's names).
test-interop: build-python peers
	@for file in python/tests/test_interop_*.py; do \
	  PYTHONPATH=build/release/python build/peers/bin/python -m pytest \
	    -p no:cacheprovider $$file || exit 1; done

bench-python: build-python peers
	@PYTHONPATH=build/release/python build/peers/bin/python \
	  benchmarks/python/run.py $(ARGS)

# Whole programs on the CPU beside every peer in each of its modes; then whether
# anything is slower than benchmarks/peers/figures.json says.
bench-peers: build-python peers
	@PYTHONPATH=build/release/python build/peers/bin/python \
	  benchmarks/peers/run.py $(ARGS)

bench-check: build-python peers
	@PYTHONPATH=build/release/python build/peers/bin/python \
	  benchmarks/peers/check.py $(ARGS)

# What a call of a captured function costs beside its work.
bench-calls: build-python
	@PYTHONPATH=build/release/python build/python-env/bin/python \
	  benchmarks/python/call_overhead.py $(ARGS)

# Values, shapes, types and gradients of all samples; then signatures.
compare-ops: build-python peers
	@PYTHONPATH=build/release/python build/peers/bin/python -W ignore \
	  python/fuzz/values/compare_ops.py --out build/compare_ops.jsonl $(ARGS)
	@PYTHONPATH=build/release/python build/peers/bin/python -W ignore \
	  python/fuzz/values/compare_ops.py --out build/compare_ops_other.jsonl \
	  --dtypes uint8,int8,int16,int32,float16,complex64 $(ARGS)
	@PYTHONPATH=build/release/python:python/fuzz/values build/peers/bin/python \
	  -W ignore python/fuzz/values/signatures.py

# The same operators captured, under vmap and differentiated twice, and what is
# refused.
compare-ways: build-python peers
	@PYTHONPATH=build/release/python build/peers/bin/python -W ignore \
	  python/fuzz/values/compare_ops.py --ways 8 --out build/compare_ways.jsonl \
	  $(ARGS)

# Modules and optimizers: results, gradients, state, steps.
compare-modules: build-python peers
	@PYTHONPATH=build/release/python build/peers/bin/python -W ignore \
	  python/fuzz/values/compare_modules.py $(ARGS)

# The list of names that docs/python/coverage.md is written from, and the page; the
# stubs of the array standard are those of its suite.
coverage-page: build-python peers
	@PYTHONPATH=build/release/python:python/fuzz/values build/peers/bin/python \
	  -W ignore python/fuzz/values/coverage_names.py \
	  $(ARRAY_API_TESTS)/array-api/src/array_api_stubs/_2024_12
	@build/peers/bin/python python/fuzz/values/coverage_page.py \
	  > docs/python/coverage.md

# The array standard's own tests, from a copy that ARRAY_API_TESTS names.
array-api-tests: build-python
	@tools/array_api_tests.sh $(ARGS)

# Beside PyTorch, too, where `make peers` has been run.
fuzz-capture: build-python
	@python=build/python-env/bin/python; torch=; \
	  if [ -x build/peers/bin/python ]; then \
	    python=build/peers/bin/python; torch=--torch; fi; \
	  PYTHONPATH=build/release/python:python/fuzz $$python -m capture $(SEEDS) \
	    --jobs $(TEST_JOBS) $$torch $(ARGS)

# A training job of several ranks, disturbed by a seed; its history is checked.
nemesis: build-python
	@$(call build_only,release) --target app_sluice
	@PYTHONPATH=build/release/python:python/fuzz build/python-env/bin/python \
	  -m nemesis --seconds $(SECONDS) --seed $(SEED) $(ARGS)

dev cuda:
	@$(call build,$@)

# On a machine with a GPU. Nothing is installed: PYTHON=... names a Python with
# nanobind, and with PyTorch and JAX to measure beside. Kernels are compiled in
# parallel and kept in build/gpu/kernels, so that the second run is quick.
gpu-build:
	@JOBS=$(JOBS) tools/gpu_build.sh

# The sweep; programs; the same under compute-sanitizer, where it is installed,
# over a few ops.
gpu-test:
	@python=$$(JOBS=$(JOBS) tools/gpu_build.sh) && \
	  export SLUICE_KERNEL_CACHE=$(CURDIR)/build/gpu/kernels && \
	  build/gpu/bin/sluice info --ops --device gpu | tail -n 8 && \
	  build/gpu/bin/sluice-gpu-test $(ARGS) && \
	  PYTHONPATH=build/gpu/python $$python python/tests/gpu/run.py && \
	  tools/gpu_memcheck.sh

gpu-bench:
	@python=$$(JOBS=$(JOBS) tools/gpu_build.sh) && \
	  export SLUICE_KERNEL_CACHE=$(CURDIR)/build/gpu/kernels && \
	  PYTHONPATH=build/gpu/python $$python benchmarks/gpu/run.py $(ARGS)

asan:
	@$(call configure,asan) -D SLUICE_PYTHON=OFF && \
	  $(call build_only,asan) --target tests
	@ctest --preset asan -j $(TEST_JOBS) \
	  --no-tests=$(NO_TESTS)

# Apart from `asan`: the interpreter loads the sanitizer's runtime first.
asan-python: deps
	@python=$$(tools/python_env.sh); \
	  $(call configure,asan) -D SLUICE_PYTHON=ON -D Python_EXECUTABLE=$$python
	@$(call build_only,asan) --target sluice_python_package
	@ctest --preset asan -L '^python$$' -j $(TEST_JOBS) \
	  --no-tests=$(NO_TESTS)

tsan:
	@$(call build,tsan) --target threads_tests
	@tools/run_fixed_addresses.sh ctest --preset tsan -j $(TEST_JOBS) \
	  --no-tests=$(NO_TESTS)

lint:
	@tools/lint.sh

format:
	@tools/lint.sh --fix

house:
	@python3 tools/house.py $(ARGS)

clean:
	rm -rf build
