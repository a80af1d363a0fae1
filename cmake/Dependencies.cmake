# Every library comes from the system's packages (packages.txt); a missing one is named with the
# line that installs it.

macro(require_package name package)
    find_package(${name} ${ARGN} QUIET)
    if(NOT ${name}_FOUND)
        message(FATAL_ERROR "${name} is missing; this installs it:\n  apt-get install ${package}\n"
                            "and './learn build' installs all that packages.txt names.")
    endif()
endmacro()

require_package(fmt libfmt-dev)
require_package(nlohmann_json nlohmann-json3-dev)
require_package(CLI11 libcli11-dev)
require_package(PNG libpng-dev)

include(SystemLibraries)
require_package(OpenMP "g++ (for Clang: libomp-dev)" COMPONENTS CXX)
if(BERT_BUILD_TESTS)
    require_package(Python3 python3 COMPONENTS Interpreter)
    find_package(Catch2 3 QUIET)
    if(NOT Catch2_FOUND)
        require_package(Catch2 catch2 2)
    endif()
endif()
if(BERT_BUILD_BENCH)
    require_package(benchmark libbenchmark-dev)
endif()
