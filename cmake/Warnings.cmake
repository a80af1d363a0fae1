# bert_options: what a user of the libraries has to know of how they were built. The flags below it
# are for the project's own targets; those of a project that contains it keep theirs.
#
# -ffp-contract=off: no compiler may fuse a product and a sum, so that GCC and Clang give the same
# numbers; the matrix products, where fusing pays, are oneDNN's. -fno-trapping-math and
# -fno-math-errno: nobody reads the flags and errno that floating-point operations may set, and
# without them more loops become vector instructions, with the same results.
add_library(bert_options INTERFACE)
target_compile_features(bert_options INTERFACE cxx_std_20)
target_include_directories(bert_options INTERFACE
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}> $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/chapters>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/attention_to_bert>)
target_compile_definitions(bert_options INTERFACE
    BERT_REAL=${REAL} BERT_CHECK_BOUNDS=$<BOOL:${BERT_CHECK_BOUNDS}>)

add_compile_options(
    -Wall -Wextra -Wpedantic -Wconversion -Wshadow -ffp-contract=off
    -fno-trapping-math -fno-math-errno
    $<$<BOOL:${BERT_WERROR}>:-Werror>)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    # GCC 12 follows values into std::string and reports faults there that do not exist (GCC bug
    # 105651 and its kin). Clang and the sanitizers watch over the real ones.
    add_compile_options(-Wno-restrict -Wno-array-bounds
        -Wno-stringop-overflow -Wno-stringop-overread -Wno-maybe-uninitialized)
endif()
if(BERT_SANITIZE)
    set(sanitizers -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
    add_compile_options(${sanitizers})
    add_link_options(${sanitizers})
endif()
