#include "common/io/data_file.hpp"

namespace bert {

std::string data_file(const std::string& name) {
    return BERT_DATA_DIR "/" + name;
}

}  // namespace bert
