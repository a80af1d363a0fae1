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

# oneDNN's own package file asks for the headers of OpenCL, which nothing here needs.
find_path(DNNL_INCLUDE_DIR oneapi/dnnl/dnnl.hpp)
find_library(DNNL_LIBRARY dnnl)
if(NOT DNNL_INCLUDE_DIR OR NOT DNNL_LIBRARY)
    message(FATAL_ERROR "oneDNN is missing; this installs it:\n  apt-get install libdnnl-dev")
endif()
if(NOT TARGET DNNL::dnnl)
    add_library(DNNL::dnnl UNKNOWN IMPORTED)
    set_target_properties(DNNL::dnnl PROPERTIES IMPORTED_LOCATION ${DNNL_LIBRARY}
                                                INTERFACE_INCLUDE_DIRECTORIES ${DNNL_INCLUDE_DIR})
endif()
require_package(OpenMP "g++ (for Clang: libomp-dev)" COMPONENTS CXX)
require_package(Python3 python3 COMPONENTS Interpreter)
if(BERT_BUILD_TESTS)
    find_package(Catch2 3 QUIET)
    if(NOT Catch2_FOUND)
        require_package(Catch2 catch2 2)
    endif()
endif()
if(BERT_BUILD_BENCH)
    require_package(benchmark libbenchmark-dev)
endif()
