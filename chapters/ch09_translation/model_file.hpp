// A translation model as a file: sizes, vocabularies, parameters by name (.npz).
#pragma once

#include <map>
#include <string>

#include "ch09_translation/transformer.hpp"
#include "ch09_translation/vocabulary.hpp"
#include "common/io/npz.hpp"

namespace bert {

struct TranslationModel {
    Transformer transformer;
    Vocabulary source;
    Vocabulary target;
};

/// Writes the whole file or nothing. Throws IoError, and NumericError naming the first parameter
/// that is not finite.
void save_model(const std::string& path, const TranslationModel& model);

/// Throws IoError when the file does not open; FileError naming path, entry, found and expected
/// when it is not such a file, of another version, or when its parts do not fit each other.
TranslationModel load_model(const std::string& path);

/// The same for a file with more in it. What is read is taken out of `arrays`.
using Arrays = std::map<std::string, NpyArray>;
void add_model(NpzWriter& writer, const TranslationModel& model);
TranslationModel take_model(const std::string& path, Arrays& arrays);

/// An array that has to be there, taken out. Throws FileError otherwise.
NpyArray take_array(const std::string& path, Arrays& arrays, const std::string& name);
/// A tensor of this shape and finite. Throws FileError naming both shapes otherwise.
Tensor take_tensor(const std::string& path, Arrays& arrays, const std::string& name,
                   const Shape& shape);

/// How the numbers of this build are stored without loss.
constexpr NpyFloat exact_float = sizeof(Real) == sizeof(float) ? NpyFloat::f4 : NpyFloat::f8;

}  // namespace bert
