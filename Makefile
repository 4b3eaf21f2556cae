# refcl: two commands matter, `make demo` and `make test`; `make help` lists the rest.
#
# Sources are found by folder, so adding a file needs no change here:
#   memmodel/ interp/ checker/ litmus/ ref-runtime/ spec-xref/   with the folders below: one static library each
#   interp/jit/*/                                     librefcl-jit.so, loaded on first use
#   ref-runtime/compiler/helper*.c *_shim.cpp         the refcl-compiler helper
#   litmus/run/*.c litmus/run/vk/*.c                  refcl-litmus-run, which uses no other folder
#   tools/layer/*.c                                   librefcl-layer.so, the loader layer
#   tools/*.c tools/*/*.c                             the refcl command
#   tests/**/test_*.{c,sh}, slow_*.{c,sh}             tests; slow_* are left out of `make quick`

BUILD   ?= build
PREFIX  ?= /usr/local
DESTDIR ?=
CC      ?= gcc
CXX     ?= g++

VERSION := 0.1.0

WARN := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes
OPT  ?= -O2 -g
SAN  ?=
WERROR ?=

# Hardening flags that the compiler supports.  Sanitizers check library calls themselves.
cc_has  = $(shell echo 'int x;' | $(CC) $(1) -x c -c -o /dev/null - 2>/dev/null && echo $(1))
FORTIFY := $(if $(SAN)$(filter -O0,$(OPT)),,-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2)
HARDEN  := -fstack-protector-strong $(call cc_has,-fcf-protection) $(FORTIFY)
HARDEN_LINK := -Wl,-z,relro,-z,now,-z,noexecstack -Wl,--build-id
# dlclose() leaves the runtime in memory: its threads and handlers of signals stay until the process ends.
STAYS_LOADED := -Wl,-z,nodelete

CPPFLAGS += -I. -I$(BUILD)/gen -D_GNU_SOURCE -DREFCL_VERSION='"$(VERSION)"' -DCL_TARGET_OPENCL_VERSION=300
CFLAGS   += -std=c11 $(OPT) $(HARDEN) $(WARN) $(WERROR) $(SAN) -fPIC -fvisibility=hidden -fno-strict-aliasing -ffp-contract=off -MMD -MP
CXXFLAGS += -std=c++17 $(OPT) $(HARDEN) -Wall -Wextra $(WERROR) $(SAN) -fPIC -fvisibility=hidden -MMD -MP
LDFLAGS  += $(SAN) $(HARDEN_LINK)

# LLVM and Clang have the version of the SPIR-V translator: the installed one (its development packages exclude one
# another), else the newest that the distribution has with both: by the table, or by apt's lists.  LLVM=N selects another.
LLVM_VERSIONS := 15 16 17 18 19
DISTRIBUTION := $(shell . /etc/os-release 2>/dev/null; echo $$VERSION_CODENAME)
# Ubuntu 24.04 (noble) has the names below; it is not tested.
LLVM_OF_bookworm := 15
LLVM_OF_trixie   := 19
LLVM_OF_noble    := 18
LLVM_PREFIX := /usr/lib/llvm-
TRANSLATOR := $(shell pkg-config --modversion LLVMSPIRVLib 2>/dev/null | sed 's/\..*//')
INSTALLED_PAIR := $(if $(wildcard $(LLVM_PREFIX)$(TRANSLATOR)/include/clang/Basic/Version.h),$(filter $(LLVM_VERSIONS),$(TRANSLATOR)))
PACKAGED_PAIRS = $(shell apt-cache pkgnames libllvmspirvlib- 2>/dev/null | sed -n 's/^libllvmspirvlib-\(..\)-dev$$/\1/p' | sort)
LLVM ?= $(or $(INSTALLED_PAIR),$(LLVM_OF_$(DISTRIBUTION)),$(lastword $(filter $(LLVM_VERSIONS),$(PACKAGED_PAIRS))),15)
LLVM := $(LLVM)
ifneq ($(filter $(LLVM),1 2 3 4 5 6 7 8 9 10 11 12 13 14),)
$(error LLVM=$(LLVM) is not supported: LLVM 15 is the oldest)
endif
LLVM_INC := $(LLVM_PREFIX)$(LLVM)/include
LLVM_LIB := $(LLVM_PREFIX)$(LLVM)/lib
LLVM_BIN := $(LLVM_PREFIX)$(LLVM)/bin
EXTRA_ref-runtime_compiler := -isystem $(LLVM_INC)
# What contains LLVM's structures or bitcode is built again when the version changes.
LLVM_VERSION := $(shell sed -n 's/^#define LLVM_VERSION_STRING "\(.*\)"/\1/p' $(LLVM_INC)/llvm/Config/llvm-config.h 2>/dev/null)
LLVM_STAMP := $(BUILD)/llvm-version
ifneq ($(file <$(LLVM_STAMP)),$(LLVM_VERSION))
$(shell rm -f $(LLVM_STAMP))
endif
# LLVM's clang compiles the fuzzers, with a runtime of its version.
C_STAMP := $(if $(findstring $(LLVM_BIN),$(CC)),$(LLVM_STAMP))

# ---- packages -------------------------------------------------------------------------------

BUILD_PACKAGES := gcc g++ make pkg-config clang-$(LLVM) libclang-cpp$(LLVM)-dev libclang-$(LLVM)-dev \
  libclang-common-$(LLVM)-dev llvm-$(LLVM)-dev libllvmspirvlib-$(LLVM)-dev llvm-spirv-$(LLVM) spirv-tools \
  spirv-headers libz3-dev libcjson-dev opencl-headers ocl-icd-opencl-dev libzstd-dev libseccomp-dev libvulkan-dev libpng-dev \
  libsqlite3-dev libexpat1-dev libdw-dev
TEST_PACKAGES := libcmocka-dev mesa-vulkan-drivers libmpfr-dev clinfo pocl-opencl-icd python3 python3-jsonschema python3-pyopencl python3-numpy \
  python3-sarif-python-om clang-format git zsh fish
BENCH_PACKAGES := oclgrind
# make web; its page is bundled by what npm installs into BUILD/web (tools/web/page/package-lock.json).
WEB_PACKAGES := emscripten nodejs $(if $(shell command -v npm),,npm)
WEB_TEST_PACKAGES := chromium firefox-esr
CLIENT_PACKAGES := clinfo clpeak clblast-tests libclblast1 libclfft-dev python3-pyopencl python3-mako \
  piglit python3-opencv libopenmm-plugins python3-simtk ffmpeg hashcat hcxkeys darktable libviennacl-dev libboost-dev opencl-clhpp-headers
DRIVER_PACKAGES := pocl-opencl-icd mesa-opencl-icd
include $(wildcard Makefile.local)

# ---- sources --------------------------------------------------------------------------------

src = $(sort $(foreach d,$(1),$(wildcard $(d)/*.c)))
obj = $(patsubst %.c,$(BUILD)/obj/%.o,$(1))

MEMMODEL_SRC := $(call src,$(addprefix memmodel/,base cat trace graph zstd))
INTERP_SRC   := $(call src,interp $(addprefix interp/,module lower exec check ext image sched weak replay))
JIT_SRC      := $(call src,$(addprefix interp/jit/,emit vectorize instrument run))
JIT_SHIM     := $(sort $(wildcard $(addsuffix /*.cpp,$(addprefix interp/jit/,vectorize instrument llvm))))
JIT_BITCODE  := $(sort $(wildcard interp/jit/bitcode/*.c)) $(addprefix interp/ext/,convert.c ext_float.c \
  ext_single.c ext_double.c ext_remainder.c ext_exponential.c ext_trigonometric.c ext_geometric.c ext_integer.c math_double.c)
CHECKER_SRC  := $(call src,$(addprefix checker/,program search z3 race predict report))
LITMUS_SRC   := $(call src,litmus $(addprefix litmus/,parse lower emit vulkan generate judge))
RUNTIME_SRC  := $(call src,ref-runtime $(addprefix ref-runtime/,enqueue program memory sched record check)) \
  $(sort $(wildcard ref-runtime/compiler/client*.c))
HELPER_SRC   := $(sort $(wildcard ref-runtime/compiler/helper*.c))
HELPER_SHIM  := $(sort $(wildcard ref-runtime/compiler/*_shim.cpp))
XREF_SRC     := $(call src,spec-xref $(addprefix spec-xref/,extract collect site))
RUNNER_SRC   := $(call src,litmus/run litmus/run/vk)
TOOLS_SRC    := $(call src,tools $(addprefix tools/,cmd commands explore $(addprefix explore/,image inputs memory module program value) footprint hints launch prove session witness store))
WEB_SRC      := $(call src,tools/web) tools/verdict_text.c tools/final_order.c
HOSTLIB_SRC  := $(call src,tools/hostlib)
LAYER_SRC    := $(call src,tools/layer)
TESTLIB_SRC  := $(call src,tests/lib)

LIBS_A := $(foreach l,xref litmus checker interp memmodel,$(BUILD)/lib/lib$(l).a)

SPIRV_TOOLS := -lSPIRV-Tools -lstdc++ -lm
Z3_LIBS     := -lz3
JSON_LIBS   := -lcjson
ZSTD_LIBS   := -lzstd
STORE_LIBS  := -lsqlite3 -lexpat
DEBUG_LIBS  := -ldw
PNG_FLAGS   := $(if $(wildcard /usr/include/png.h),-DHAVE_PNG)
PNG_LIBS    := $(if $(PNG_FLAGS),-lpng)
SECCOMP_LIBS := $(if $(wildcard /usr/include/seccomp.h),-lseccomp)

PRODUCTS := $(BUILD)/librefcl.so $(BUILD)/refcl-compiler $(BUILD)/refcl $(BUILD)/refcl-litmus-run \
  $(BUILD)/refcl-kernel-host $(BUILD)/librefcl-host.so $(BUILD)/librefcl-preload.so $(BUILD)/librefcl-layer.so $(BUILD)/refcl.icd
ifneq ($(JIT_SRC),)
PRODUCTS += $(BUILD)/librefcl-jit.so
endif

.PHONY: all clients drivers web web-test board xref help deps demo test slow quick thread-tests threads asan ubsan tsan lint format bench differential fuzz ulp hunt mutate man install dist deb distro-check package-check clean tests FORCE
.DEFAULT_GOAL := all
all: $(PRODUCTS)

help:
	@sed -n 's/^## *//p' Makefile
## make demo     install missing packages, build, run the litmus suite (OpenCL, Vulkan), debug a racy kernel
## make test     set-up and the whole test suite          make quick    only the tests that take seconds
## make slow     the slow tests, with the cases of which `make test` runs a sample
## make asan     quick tests under AddressSanitizer and UndefinedBehaviorSanitizer; SUITE=test: all tests
## make tsan     tests of the API under ThreadSanitizer    make ubsan   quick tests under UndefinedBehaviorSanitizer alone
## make lint     warnings as errors, formatting, dependency arrows, words
## make clients  applications from the distribution: clinfo, pyopencl, CLBlast, OpenCV, hashcat, Piglit, ...
## make drivers  litmus tests and applications on the other drivers of the machine, such as PoCL and Rusticl
## make web      the playground, one page that checks litmus tests in a browser: BUILD/web/playground.html
## make web-test make web, and the tests of the playground and of the board in Chromium and Firefox
## make board    results of all campaigns of litmus/results by driver and test: BUILD/board/index.html
## make bench    CPU time beside PoCL and Oclgrind        make format   clang-format in place
## make ulp      largest error of each mathematical function, in ulp
## make xref     check the links between clauses, code and tests; write them as a page
## make man      update the generated parts of the man pages from the option tables
## make differential COUNT= SEED= ENGINES=interp,pocl     compare two engines on random kernels
## make fuzz FUZZ_SECONDS= READER=                        fuzz each input reader under AddressSanitizer
## make hunt HUNT_COUNT= HUNT_SEED=                       compare search, Z3 and enumeration on random programs
## make faults FAULTS= FAULT_SEED= FAULT_FILES=           mutation testing of the sources: each mutant must fail a test
## make mutate   mutation testing of the models: each deleted or weakened clause must fail a test
## make install DESTDIR= PREFIX= LIBDIR=                  make deps     only install packages
## make dist     source tarball                           make deb      packages refcl, librefcl-icd, refcl-doc
## make distro-check CHECK="demo quick" ROOT_SUITE=trixie  build and test in a root of Debian 13 (as root)
## make package-check ROOT_SUITE=trixie DEBS=             install, use and remove the packages in a new root (as root)

# ---- rules ----------------------------------------------------------------------------------

$(BUILD)/obj/%.o: %.c $(C_STAMP)
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(EXTRA_$(subst /,_,$(patsubst %/,%,$(dir $<)))) $(CFLAGS) -c $< -o $@
$(BUILD)/obj/tools/page.o: tools/viewer/page.html
# A stack protector costs the interpreter loops 6 % of their time; so it is off there, as are the landing pads
# of their indirect jumps, one for each operation.
$(patsubst %.c,$(BUILD)/obj/%.o,$(wildcard interp/exec/engine_*.c)): HARDEN += -fno-stack-protector $(call cc_has,-fcf-protection=return)
$(BUILD)/obj/%.o: %.cpp $(LLVM_STAMP)
	@mkdir -p $(@D)
	$(CXX) -I. -isystem $(LLVM_INC) $(CXXFLAGS) -c $< -o $@

# Tables generated from the SPIR-V grammar: interp/gen/gen_*.c are programs that print a header each.
GEN_SRC := $(sort $(wildcard interp/gen/gen_*.c))
GEN_HDR := $(patsubst interp/gen/gen_%.c,$(BUILD)/gen/%.h,$(GEN_SRC))
GRAMMAR_DIR := /usr/include/spirv/unified1
$(BUILD)/host/gen_%: interp/gen/gen_%.c
	@mkdir -p $(@D)
	$(CC) -I. -std=c11 -O1 -D_GNU_SOURCE $< -o $@ $(JSON_LIBS)
$(BUILD)/gen/%.h: $(BUILD)/host/gen_%
	@mkdir -p $(@D)
	$< $(GRAMMAR_DIR) > $@.tmp && mv $@.tmp $@
$(call obj,$(INTERP_SRC) $(JIT_SRC)): | $(GEN_HDR)

# Model files travel inside the binaries, so that the tool finds them wherever it is installed.
MODEL_SRC := $(sort $(wildcard memmodel/models/*.cat))

define archive
$(BUILD)/lib/lib$(1).a: $(call obj,$(2))
	@mkdir -p $$(@D)
	@rm -f $$@
	ar rcs $$@ $$^
endef
$(eval $(call archive,memmodel,$(MEMMODEL_SRC)))
$(eval $(call archive,interp,$(INTERP_SRC)))
$(eval $(call archive,checker,$(CHECKER_SRC)))
$(eval $(call archive,litmus,$(LITMUS_SRC)))
$(eval $(call archive,runtime,$(RUNTIME_SRC)))
$(eval $(call archive,xref,$(XREF_SRC)))
$(eval $(call archive,testlib,$(TESTLIB_SRC)))

$(BUILD)/librefcl.so: $(call obj,$(RUNTIME_SRC)) $(BUILD)/lib/libinterp.a $(BUILD)/lib/libmemmodel.a ref-runtime/librefcl.map
	$(CXX) -shared $(LDFLAGS) $(STAYS_LOADED) -o $@ $(call obj,$(RUNTIME_SRC)) -L$(BUILD)/lib -linterp -lmemmodel \
	  -Wl,--exclude-libs,ALL -Wl,--version-script=ref-runtime/librefcl.map $(if $(SAN),,-Wl,--no-undefined) \
	  $(SPIRV_TOOLS) $(ZSTD_LIBS) -lpthread -ldl
$(BUILD)/refcl.icd: $(BUILD)/librefcl.so
	@echo $(abspath $(BUILD))/librefcl.so > $@
$(BUILD)/refcl-compiler: $(call obj,$(HELPER_SRC)) $(patsubst %.cpp,$(BUILD)/obj/%.o,$(HELPER_SHIM)) $(BUILD)/lib/libmemmodel.a
	$(CXX) $(LDFLAGS) -o $@ $^ -L$(LLVM_LIB) -lclang-cpp -lLLVMSPIRVLib -lLLVM-$(LLVM) -lSPIRV-Tools-link -lSPIRV-Tools-opt -lSPIRV-Tools $(ZSTD_LIBS) $(SECCOMP_LIBS)
$(BUILD)/refcl: $(call obj,$(TOOLS_SRC)) $(LIBS_A) $(BUILD)/lib/libruntime.a
	$(CXX) $(LDFLAGS) -o $@ $(call obj,$(TOOLS_SRC)) -Wl,--start-group $(LIBS_A) $(BUILD)/lib/libruntime.a -Wl,--end-group \
	  $(Z3_LIBS) $(JSON_LIBS) $(STORE_LIBS) $(DEBUG_LIBS) $(SPIRV_TOOLS) $(ZSTD_LIBS) -lpthread -ldl
$(BUILD)/refcl-litmus-run: $(RUNNER_SRC)
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) -DCL_TARGET_OPENCL_VERSION=300 -o $@ $(RUNNER_SRC) -lOpenCL $(JSON_LIBS) -ldl
$(BUILD)/refcl-kernel-host: $(call src,tools/host) tools/launch/npy.c tools/launch/spec.c tools/launch/type.c tools/host/kernel_host.h tools/launch/spec.h $(BUILD)/obj/memmodel/base/escape.o
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) $(PNG_FLAGS) -o $@ $(filter %.c %.o,$^) -lOpenCL $(PNG_LIBS)

# The C functions behind OpenCL.std travel as bitcode inside the JIT.
$(foreach d,emit vectorize instrument llvm run,$(eval EXTRA_interp_jit_$(d) := -isystem $(LLVM_INC)))
$(LLVM_STAMP):
	@mkdir -p $(@D)
	@echo '$(LLVM_VERSION)' > $@
$(call obj,$(HELPER_SRC) $(JIT_SRC)): $(LLVM_STAMP)
$(BUILD)/jit/%.bc: %.c $(LLVM_STAMP)
	@mkdir -p $(@D)
	$(LLVM_BIN)/clang -I. -I$(BUILD)/gen -D_GNU_SOURCE -std=c11 -O2 -fno-math-errno -ffp-contract=off -fno-vectorize \
	  -fno-slp-vectorize -fno-unroll-loops -MMD -MP -MF $(@:.bc=.d) -MT $@ -emit-llvm -c $< -o $@
$(BUILD)/jit/builtins.bc: $(patsubst %.c,$(BUILD)/jit/%.bc,$(JIT_BITCODE))
	$(LLVM_BIN)/llvm-link -o $@ $^
$(BUILD)/gen/builtins_bc.h: $(BUILD)/jit/builtins.bc
	@mkdir -p $(@D)
	{ echo '/* Generated. */'; echo 'static const unsigned char in_builtins_bc[] = {'; od -An -v -tu1 $< | sed 's/ *\([0-9]\+\)/\1,/g'; \
	  echo '};'; echo 'static const unsigned long in_builtins_bc_size = sizeof in_builtins_bc;'; } > $@.tmp && mv $@.tmp $@
$(BUILD)/obj/interp/jit/run/compile.o: $(BUILD)/gen/builtins_bc.h
$(BUILD)/librefcl-host.so: $(call obj,$(HOSTLIB_SRC))
	$(CC) -shared $(LDFLAGS) -o $@ $^ -lpthread -ldl
# Beside any driver: the C library is all that it links.
$(BUILD)/librefcl-layer.so: $(call obj,$(LAYER_SRC)) $(BUILD)/lib/libmemmodel.a tools/layer/librefcl-layer.map
	$(CC) -shared $(LDFLAGS) -o $@ $(call obj,$(LAYER_SRC)) $(BUILD)/lib/libmemmodel.a -Wl,--version-script=tools/layer/librefcl-layer.map \
	  $(if $(SAN),,-Wl,--no-undefined) -lpthread -ldl
# Loaded into programs that have no sanitizer's runtime.
$(BUILD)/librefcl-preload.so: $(call src,tools/preload) tools/preload/executed.h memmodel/base/privilege.c interp/signal.c interp/signal.h
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(filter-out $(SAN),$(CFLAGS)) -shared $(HARDEN_LINK) -o $@ $(filter %.c,$^) -ldl
$(BUILD)/librefcl-jit.so: $(call obj,$(JIT_SRC)) $(patsubst %.cpp,$(BUILD)/obj/%.o,$(JIT_SHIM)) $(BUILD)/lib/libinterp.a $(BUILD)/lib/libmemmodel.a
	$(CXX) -shared $(LDFLAGS) $(STAYS_LOADED) -o $@ $^ -Wl,--exclude-libs,ALL -L$(LLVM_LIB) -lLLVM-$(LLVM) $(SPIRV_TOOLS) $(ZSTD_LIBS) -lpthread -lm

# ---- tests ----------------------------------------------------------------------------------

TEST_C   := $(sort $(shell find tests -name 'test_*.c' -o -name 'slow_*.c' 2>/dev/null))
TEST_SH  := $(sort $(shell find tests -name 'test_*.sh' -o -name 'slow_*.sh' -o -name 'test_*.py' -o -name 'slow_*.py' 2>/dev/null))
CLIENT_C := $(sort $(wildcard tests/clients/*.c))
TEST_BIN := $(patsubst %.c,$(BUILD)/%,$(TEST_C))
CLIENT_BIN := $(patsubst %.c,$(BUILD)/%,$(CLIENT_C))
API_TEST_BIN := $(filter $(BUILD)/tests/runtime/%,$(TEST_BIN))
UNIT_TEST_BIN := $(filter-out $(API_TEST_BIN) $(BUILD)/tests/fuzz/%,$(TEST_BIN))

TEST_CFLAGS = $(filter-out -Wpedantic -Wconversion -Wmissing-prototypes,$(CFLAGS)) -Itests/lib
# Memory that a test program, or a library in it, leaves behind fails the test; the slow tests would take twice as long.
LEAKS := $(if $(SAN),,-fsanitize=leak)
$(UNIT_TEST_BIN): $(BUILD)/%: %.c $(LIBS_A) $(BUILD)/lib/libruntime.a $(BUILD)/lib/libtestlib.a
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(TEST_CFLAGS) $(LDFLAGS) $(if $(findstring /slow_,$@),,$(LEAKS)) -o $@ $< $(filter %.o,$^) -Wl,--start-group $(LIBS_A) $(BUILD)/lib/libruntime.a $(BUILD)/lib/libtestlib.a \
	  -Wl,--end-group $(Z3_LIBS) $(JSON_LIBS) $(SPIRV_TOOLS) $(ZSTD_LIBS) $(SECCOMP_LIBS) -lcmocka -lmpfr -lpthread -ldl
$(BUILD)/tests/unit/tools/test_footprint: $(call obj,$(call src,tools/footprint))
$(API_TEST_BIN) $(CLIENT_BIN): $(BUILD)/%: %.c $(BUILD)/lib/libtestlib.a
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(TEST_CFLAGS) $(LDFLAGS) -o $@ $< $(BUILD)/lib/libtestlib.a -lOpenCL -lcmocka -lpthread -lm -ldl

# Tests that run a second time with compiled kernels; a test that compiles none there fails (tests/lib/totals.py).
JIT_TESTS := $(addprefix jit:,$(filter $(addprefix %/test_,command_buffer components device_queue devices \
  extensions host_guard il_versions image_kernels kernel_object kernels memory_clauses mipmap_kernels program program_fixups queues \
  resources seeded_host svm svm_system terminate unequal_devices),$(API_TEST_BIN)) tests/runtime/memory/test_memory_modes.sh tests/runtime/process/test_pyopencl.py)
ifeq ($(SAN),)
JIT_TESTS += $(addprefix jit:,$(addprefix $(BUILD)/tests/unit/,interp/test_arith interp/test_unusual \
  runtime/test_out_of_memory) $(addprefix tests/races/,test_races.py test_host.py test_session.sh))
endif
JIT_SEEN := $(BUILD)/tests/jit/seen.so
$(JIT_SEEN): tests/jit/seen.c $(BUILD)/librefcl-jit.so
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(TEST_CFLAGS) $(LDFLAGS) -shared -o $@ $< -L$(BUILD) -Wl,--no-as-needed -l:librefcl-jit.so -Wl,-rpath,$(abspath $(BUILD)) -ldl

# Loaded into tests that run under an older version; without a sanitizer, as the tests are scripts, too.
OLDER_C := $(BUILD)/tests/runtime/device/older_c.so
$(OLDER_C): tests/runtime/device/older_c.c
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(filter-out $(SAN),$(CFLAGS)) -fPIC -shared $(filter-out $(SAN),$(LDFLAGS)) -o $@ $< -Wl,--no-as-needed -lOpenCL -ldl

# The playground's checker, compiled for this machine.
CHECK_FILES := $(BUILD)/tests/web/check_files
$(CHECK_FILES): tests/web/check_files.c $(call obj,$(WEB_SRC)) $(LIBS_A)
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(TEST_CFLAGS) $(LDFLAGS) -o $@ $< $(call obj,$(WEB_SRC)) -Wl,--start-group $(LIBS_A) -Wl,--end-group $(Z3_LIBS) $(JSON_LIBS) $(ZSTD_LIBS) -lm

tests: all $(TEST_BIN) $(CLIENT_BIN) $(JIT_SEEN) $(CHECK_FILES) $(OLDER_C)

deps:
	@tools/deps.sh $(BUILD_PACKAGES) $(TEST_PACKAGES)
demo: deps
	@$(MAKE) --no-print-directory -j$$(nproc) all $(BUILD)/tests/clients/racy_histogram
	@BUILD=$(BUILD) tools/demo.sh
# Of the cases of the longest tests `make test` runs one in TEST_SHARE (tests/lib/sample.py), `make slow` all.
TEST_SHARE ?= 12
test: deps
	@$(MAKE) --no-print-directory -j$$(nproc) tests
	@BUILD=$(BUILD) TEST_SHARE=$(TEST_SHARE) tests/run.sh $(TEST_BIN) $(TEST_SH) $(JIT_TESTS)
slow: tests
	@BUILD=$(BUILD) TEST_SHARE=1 tests/run.sh $(foreach t,$(TEST_BIN) $(TEST_SH),$(if $(filter slow_%,$(notdir $(t))),$(t)))
quick: tests
	@BUILD=$(BUILD) tests/run.sh $(foreach t,$(TEST_BIN) $(TEST_SH),$(if $(filter slow_%,$(notdir $(t))),,$(t))) $(JIT_TESTS)

# What uses several threads, through the API; compiled code, where the JIT covers it, is not instrumented.
thread-tests: all $(API_TEST_BIN) $(CLIENT_BIN) $(JIT_SEEN)
threads: thread-tests
	@BUILD=$(BUILD) tests/run.sh $(filter-out %/slow_stress,$(API_TEST_BIN)) $(filter jit:$(BUILD)/tests/runtime/%,$(JIT_TESTS))

# SUITE=test: every test.  Programs are several times slower: fewer cases of the longest tests.
SUITE ?= quick
tsan: SUITE = threads
asan tsan ubsan: TEST_SHARE = 40
asan tsan ubsan: SAN_FLAGS = -fsanitize=$(SANITIZER) -fno-sanitize-recover=undefined -fno-omit-frame-pointer
asan: SANITIZER := address,undefined
ubsan: SANITIZER := undefined
tsan: SANITIZER := thread
asan ubsan tsan:
	@$(MAKE) --no-print-directory -j$$(nproc) BUILD=build/$@ SAN="$(SAN_FLAGS)" OPT="-O1 -g" $(if $(filter threads,$(SUITE)),thread-tests,tests)
	@BUILD=build/$@ SANITIZER=$(SANITIZER) $(MAKE) --no-print-directory BUILD=build/$@ \
	    SAN="$(SAN_FLAGS)" OPT="-O1 -g" TEST_SHARE=$(TEST_SHARE) $(SUITE)

# Unmodified third-party applications; their results are checked.
CLIENT_TESTS := $(sort $(wildcard tests/clients/packages/client_*.sh tests/clients/packages/client_*.py))
$(BUILD)/tests/clients/packages/client_clfft: tests/clients/packages/client_clfft.c
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(TEST_CFLAGS) $(LDFLAGS) -o $@ $< -lclFFT -lOpenCL -lm
clients:
	@tools/deps.sh $(BUILD_PACKAGES) $(CLIENT_PACKAGES)
	@$(MAKE) --no-print-directory -j$$(nproc) all $(BUILD)/tests/clients/packages/client_clfft
	@BUILD=$(BUILD) tests/run.sh $(BUILD)/tests/clients/packages/client_clfft $(CLIENT_TESTS)
# Litmus tests and applications on the other drivers of the machine; make distro-check CHECK=drivers has those of that release.
drivers:
	@tools/deps.sh $(BUILD_PACKAGES) $(CLIENT_PACKAGES) $(DRIVER_PACKAGES)
	@$(MAKE) --no-print-directory -j$$(nproc) all $(BUILD)/tests/clients/packages/client_clfft
	@BUILD=$(BUILD) tests/run.sh tests/clients/drivers.sh

lint:
	@tools/deps.sh $(BUILD_PACKAGES) $(TEST_PACKAGES)
	@tools/lint.sh
	@$(MAKE) --no-print-directory -j$$(nproc) BUILD=build/lint WERROR=-Werror all
format:
	@git ls-files '*.c' '*.h' '*.cpp' | xargs clang-format -i
$(BUILD)/tests/bench/model: tests/bench/model.c $(BUILD)/lib/libmemmodel.a
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(TEST_CFLAGS) $(LDFLAGS) -o $@ $< -L$(BUILD)/lib -lmemmodel $(ZSTD_LIBS) -lm
bench:
	@tools/deps.sh $(BUILD_PACKAGES) $(TEST_PACKAGES) $(BENCH_PACKAGES)
	@$(MAKE) --no-print-directory -j$$(nproc) tests $(BUILD)/tests/bench/model
	@BUILD=$(BUILD) tests/bench/bench.sh
	@BUILD=$(BUILD) tests/bench/sets.sh
	@BUILD=$(BUILD) tests/bench/latency.sh
	@BUILD=$(BUILD) tests/bench/checked.sh
	@BUILD=$(BUILD) tests/bench/racing.sh
	@BUILD=$(BUILD) tests/bench/layer.py
	@BUILD=$(BUILD) tests/bench/oclgrind.sh
	@$(BUILD)/tests/bench/model
	@BUILD=$(BUILD) tests/bench/search.py

# Random kernels must leave the same final state in the interpreter, the JIT (ENGINES=interp,jit) and PoCL.
differential: all
	@BUILD=$(BUILD) /usr/bin/python3 tests/differential/differential.py

# One fuzzer for each reader of input files (tests/fuzz/reader.h).  They share FUZZ_SECONDS (or SECONDS) of one core
# equally; READER=NAME runs one alone.
FUZZ_SECONDS ?= $(or $(SECONDS),3600)
FUZZ_READERS := $(filter-out shared,$(patsubst tests/fuzz/reader_%.c,%,$(wildcard tests/fuzz/reader_*.c)))
FUZZ := build/fuzz
FUZZ_CC = $(CCACHE) $(LLVM_BIN)/clang
FUZZ_SAN := -fsanitize=address,fuzzer-no-link -fprofile-instr-generate -fcoverage-mapping -fno-omit-frame-pointer
FUZZ_MAKE = $(MAKE) --no-print-directory WARN= BUILD=$(FUZZ) CC="$(FUZZ_CC)" SAN="$(FUZZ_SAN)" OPT="-O1 -g"
FUZZ_OBJ = $(filter-out %/refcl.o %/litmus/run/main.o,$(call obj,$(TOOLS_SRC) $(RUNNER_SRC))) \
  $(call obj,$(wildcard tests/fuzz/reader_*.c))
FUZZ_LIBS = -Wl,--start-group $(LIBS_A) $(BUILD)/lib/libruntime.a -Wl,--end-group $(Z3_LIBS) $(JSON_LIBS) $(STORE_LIBS) $(DEBUG_LIBS) $(SPIRV_TOOLS) $(ZSTD_LIBS) \
  -lOpenCL -lpthread -ldl
$(BUILD)/fuzz_%: tests/fuzz/fuzz.c tests/fuzz/reader.h $(FUZZ_OBJ) $(LIBS_A) $(BUILD)/lib/libruntime.a
	$(CC) $(CPPFLAGS) -DREADER=$* -std=c11 -O1 -g -fsanitize=address,fuzzer -fprofile-instr-generate -fcoverage-mapping -o $@ $< \
	  $(FUZZ_OBJ) $(FUZZ_LIBS)
fuzz: $(BUILD)/refcl-compiler
	@$(FUZZ_MAKE) $(patsubst %,$(FUZZ)/fuzz_%,$(or $(READER),$(FUZZ_READERS)))
	@BUILD=$(BUILD) LLVM_BIN=$(LLVM_BIN) tests/fuzz/fuzz.sh $(FUZZ) $(FUZZ_SECONDS) $(or $(READER),$(FUZZ_READERS))
# Runs each committed input of each corpus once; part of `make test`.
$(BUILD)/tests/fuzz/test_corpus: tests/fuzz/test_corpus.c tests/fuzz/reader.h $(FUZZ_OBJ) $(LIBS_A) $(BUILD)/lib/libruntime.a
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(TEST_CFLAGS) $(LDFLAGS) $(LEAKS) -o $@ $< $(FUZZ_OBJ) $(FUZZ_LIBS) -lcmocka -lstdc++ -lm

$(BUILD)/tests/ulp/ulp: tests/ulp/ulp.c tests/ulp/math_reference.h $(BUILD)/lib/libinterp.a $(BUILD)/lib/libmemmodel.a
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(TEST_CFLAGS) $(LDFLAGS) -o $@ $< -L$(BUILD)/lib -linterp -lmemmodel -lmpfr $(SPIRV_TOOLS) $(ZSTD_LIBS)
ulp: $(BUILD)/tests/ulp/ulp
	@$< $(ULP_INPUTS)

hunt: $(BUILD)/tests/hunt/test_hunt $(BUILD)/tests/hunt/slow_inputs
	HUNT_COUNT=$${HUNT_COUNT:-10000} $(BUILD)/tests/hunt/test_hunt
	HUNT_COUNT=$${HUNT_COUNT:-10000} $(BUILD)/tests/hunt/slow_inputs
faults: all
	@/usr/bin/python3 tests/faults/faults.py --build $(BUILD) --count $(or $(FAULTS),100) --seed $(or $(FAULT_SEED),1) --files '$(FAULT_FILES)'
mutate: $(BUILD)/tests/models/slow_mutate
	$<

# Links between clauses, code and tests: fails on a broken link and writes the matrix as a page.
xref: $(BUILD)/refcl
	@$< xref check --root .
	@$< xref site --root . --prefix $(CURDIR) --output $(BUILD)/xref.html && echo "$(BUILD)/xref.html"

# The board of drivers, from the tables of litmus/results and those of TABLES.  It links to the pages of `make xref` and `make web`, if they are there.
BOARD_TABLES := $(filter-out %-tuning.json,$(sort $(wildcard litmus/results/*.json)))
board:
	@tools/deps.sh $(BUILD_PACKAGES)
	@$(MAKE) --no-print-directory -j$$(nproc) $(BUILD)/refcl
	@rm -rf $(BUILD)/board $(BUILD)/board.sqlite
	@$(BUILD)/refcl results add --store $(BUILD)/board.sqlite $(BOARD_TABLES) $(TABLES)
	@$(BUILD)/refcl results site --store $(BUILD)/board.sqlite $(if $(wildcard $(BUILD)/xref.html),--xref ../xref.html) \
	  $(if $(wildcard $(BUILD)/web/playground.html),--playground ../web/playground.html) $(BUILD)/board && echo "$(BUILD)/board/index.html"

# The playground: the checker in WebAssembly, and a page around it.
WASM_SRC := $(patsubst %,memmodel/base/%.c,alloc arena array error escape hash input map privilege sha256) $(patsubst %,memmodel/graph/%.c,event graph scalar) \
  $(call src,memmodel/cat checker/search checker/program litmus/parse litmus/lower) $(WEB_SRC)
WASM_OBJ := $(patsubst %.c,$(BUILD)/web/obj/%.o,$(WASM_SRC))
WASM_EXPORTS := _playground_set_file,_playground_check,_playground_advise,_playground_free,_malloc,_free
$(BUILD)/web/obj/%.o: %.c
	@mkdir -p $(@D)
	emcc $(CPPFLAGS) -std=c11 -O2 $(filter-out -Wpedantic -Wconversion,$(WARN)) -fno-strict-aliasing -ffp-contract=off -MMD -MP -c $< -o $@
# A stack that overflows traps: it comes first in memory.
$(BUILD)/web/playground.wasm: $(WASM_OBJ)
	emcc -O2 $^ --no-entry -s STANDALONE_WASM -s ALLOW_MEMORY_GROWTH=1 -s MAXIMUM_MEMORY=1GB -s TOTAL_STACK=8MB -s EXPORTED_FUNCTIONS=$(WASM_EXPORTS) -Wl,--stack-first -o $@
$(BUILD)/web/node_modules/.package-lock.json: tools/web/page/package.json tools/web/page/package-lock.json
	@mkdir -p $(BUILD)/web
	cp $^ $(BUILD)/web/
	cd $(BUILD)/web && npm ci --ignore-scripts --no-audit --no-fund
	@touch $@
KERNEL_PROGRAMS := $(patsubst tools/web/kernels/%.cl,$(BUILD)/web/kernels/%.program,$(wildcard tools/web/kernels/*.cl))
$(BUILD)/web/kernels/%.program: tools/web/kernels/%.cl $(BUILD)/refcl $(BUILD)/refcl-compiler
	@mkdir -p $(@D)
	eval "$(BUILD)/refcl explore --export $@ $$(sed -n 's|^// Options: ||p' $<) $<"
$(BUILD)/web/playground.html: $(BUILD)/web/playground.wasm $(KERNEL_PROGRAMS) $(BUILD)/web/node_modules/.package-lock.json $(wildcard tools/web/page/*) $(MODEL_SRC) LICENSE \
  $(wildcard spec-xref/clauses/*.json litmus/suite/*/*.litmus tests/models/vulkan/*.litmus tests/models/patterns/vulkan/*.litmus)
	cd $(BUILD)/web && node $(CURDIR)/tools/web/page/build.mjs $(CURDIR) $(abspath $<) $(VERSION) $(abspath $@)
web:
	@tools/deps.sh $(BUILD_PACKAGES) $(WEB_PACKAGES)
	@$(MAKE) --no-print-directory -j$$(nproc) $(BUILD)/web/playground.html
web-test: web
	@tools/deps.sh $(WEB_TEST_PACKAGES)
	@$(MAKE) --no-print-directory -j$$(nproc) all $(CHECK_FILES)
	@BUILD=$(BUILD) tests/run.sh $(wildcard tests/web/test_*.py) tests/tools/test_board.py

man: $(BUILD)/refcl $(BUILD)/refcl-litmus-run
	@REFCL=$< tools/man/generate.py

# LIBDIR: of the libraries; the refcl command looks in PREFIX/lib and PREFIX/lib/refcl.
LIBDIR ?= $(PREFIX)/lib
PKGCONFIGDIR ?= $(LIBDIR)/pkgconfig
SHARE := $(PREFIX)/share
DOCUMENTS := README.md SECURITY.md litmus/docs/format.md litmus/docs/campaigns.md litmus/docs/faults.md litmus/docs/vulkan-mapping.md \
  memmodel/cat/docs/cat.md memmodel/trace/docs/format.md tools/docs/glossary.md tools/docs/distributions.md tools/docs/ten-minutes.md tools/docs/on-driver.md
# All in one folder, with the folder in the name where two are alike; links to what is not installed become text.
document = $(if $(filter memmodel/trace/%,$(1)),trace-format.md,$(if $(filter litmus/docs/format.md,$(1)),litmus-format.md,$(notdir $(1))))
document_links := $(foreach d,$(DOCUMENTS),-e 's,](\(\.\./\)*$(d)),]($(call document,$(d))),g') -e 's,\[\([^]]*\)\]([^):]*/[^)]*),\1,g'
$(BUILD)/completion/refcl.%: $(BUILD)/refcl tools/man/completion.py tools/man/generate.py
	@mkdir -p $(@D)
	REFCL=$< /usr/bin/python3 tools/man/completion.py $* > $@.tmp && mv $@.tmp $@
install: all $(addprefix $(BUILD)/completion/refcl.,bash zsh fish)
	install -d $(addprefix $(DESTDIR),$(PREFIX)/bin $(PREFIX)/libexec/refcl $(LIBDIR) $(PKGCONFIGDIR) $(PREFIX)/include/refcl/memmodel/base /etc/OpenCL/vendors \
	  $(addprefix $(SHARE)/,refcl/models refcl/schema refcl/suite refcl/ci man/man1 doc/refcl/examples/bugs bash-completion/completions zsh/site-functions fish/vendor_completions.d))
	install -m 755 $(addprefix $(BUILD)/librefcl,.so -jit.so -host.so -preload.so -layer.so) $(DESTDIR)$(LIBDIR)/
	install -m 755 $(BUILD)/refcl-compiler $(BUILD)/refcl-litmus-run $(BUILD)/refcl-kernel-host $(DESTDIR)$(PREFIX)/libexec/refcl/
	install -m 755 $(BUILD)/refcl $(DESTDIR)$(PREFIX)/bin/
	install -m 644 memmodel/models/*.cat $(DESTDIR)$(SHARE)/refcl/models/
	install -m 644 tools/schema/*.json $(DESTDIR)$(SHARE)/refcl/schema/
	cp -R litmus/suite/. $(DESTDIR)$(SHARE)/refcl/suite/ && chmod -R a+rX $(DESTDIR)$(SHARE)/refcl/suite
	install -m 644 tools/packaging/ci/* $(DESTDIR)$(SHARE)/refcl/ci/
	install -m 644 memmodel/refcl_recorder.h memmodel/memmodel.h memmodel/event.def memmodel/term.def $(DESTDIR)$(PREFIX)/include/refcl/memmodel/
	install -m 644 $(addprefix memmodel/base/,arena.h base64.h error.h memory.h write.h) $(DESTDIR)$(PREFIX)/include/refcl/memmodel/base/
	install -m 644 tools/man/*.1 $(DESTDIR)$(SHARE)/man/man1/
	$(foreach d,$(DOCUMENTS),sed $(document_links) $(d) > $(DESTDIR)$(SHARE)/doc/refcl/$(call document,$(d)) &&) chmod 644 $(DESTDIR)$(SHARE)/doc/refcl/*.md
	install -m 644 tools/examples/bugs/* $(DESTDIR)$(SHARE)/doc/refcl/examples/bugs/
	install -m 644 $(BUILD)/completion/refcl.bash $(DESTDIR)$(SHARE)/bash-completion/completions/refcl
	install -m 644 $(BUILD)/completion/refcl.zsh $(DESTDIR)$(SHARE)/zsh/site-functions/_refcl
	install -m 644 $(BUILD)/completion/refcl.fish $(DESTDIR)$(SHARE)/fish/vendor_completions.d/
	echo $(LIBDIR)/librefcl.so > $(DESTDIR)/etc/OpenCL/vendors/refcl.icd && chmod 644 $(DESTDIR)/etc/OpenCL/vendors/refcl.icd
	sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@LIBDIR@|$(LIBDIR)|' -e 's|@VERSION@|$(VERSION)|' tools/refcl.pc.in > $(DESTDIR)$(PKGCONFIGDIR)/refcl.pc && chmod 644 $(DESTDIR)$(PKGCONFIGDIR)/refcl.pc

# The tracked files (of an unpacked tarball, all), and from them packages for the distribution that this runs on, in BUILD/dist.
DIST := $(BUILD)/dist/refcl-$(VERSION)
PACKAGING_PACKAGES := debhelper lintian dpkg-dev
dist:
	@rm -rf $(DIST) $(DIST).tar.gz && mkdir -p $(BUILD)/dist
	@if [ -e .git ]; then git archive --prefix=refcl-$(VERSION)/ -o $(DIST).tar.gz HEAD; else \
	  find . \( -path ./build -o -path ./$(BUILD) \) -prune -o -type f -print | LC_ALL=C sort | \
	  tar -czf $(DIST).tar.gz --transform 's|^\./|refcl-$(VERSION)/|' -T -; fi
	@echo $(DIST).tar.gz
deb: dist
	@tools/deps.sh $(BUILD_PACKAGES) $(PACKAGING_PACKAGES)
	@tools/packaging/deb.sh $(BUILD)/dist $(VERSION) "$(BUILD_PACKAGES)"
# Builds and tests in a root of another distribution: ROOT_SUITE, by default Debian 13.
ROOT_SUITE ?= trixie
distro-check:
	@tools/deps.sh mmdebstrap git rsync
	@tools/packaging/distro_check.sh $(ROOT_SUITE) $(BUILD)/$(ROOT_SUITE) $(CHECK)
# DEBS: by default those of make distro-check CHECK=deb.
DEBS ?= $(wildcard $(BUILD)/$(ROOT_SUITE)/root/src/build/dist/*.deb)
package-check:
	@tools/deps.sh mmdebstrap
	@tools/packaging/package_check.sh $(ROOT_SUITE) $(BUILD)/$(ROOT_SUITE) $(DEBS)

clean:
	rm -rf build

-include $(shell find $(BUILD) \( -path $(BUILD)/dist -o -path '$(BUILD)/*/root' \) -prune -o -type f -name '*.d' -print 2>/dev/null)
