// Prints every number of chapter 15.
#include "common/cli/program.hpp"

int main(int argc, char** argv) {
    return bert::run_chapter(argc, argv, "Chapter 15: BERT learns from text alone.", {},
                             [](const bert::ChapterOptions&) {});
}
