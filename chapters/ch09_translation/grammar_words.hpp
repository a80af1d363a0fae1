// The words of a small French and what each is in English.
#pragma once

#include <array>
#include <span>
#include <string_view>

namespace bert {

enum class Number { singular, plural };
enum class Gender { masculine, feminine };

/// What a noun names, a bit for each kind; what a verb or an adjective goes with, any number of
/// them.
using Kinds = unsigned;
struct Kind {
    static constexpr Kinds adult = 1;
    static constexpr Kinds child = 2;
    static constexpr Kinds animal = 4;
    static constexpr Kinds text = 8;
    static constexpr Kinds food = 16;
    static constexpr Kinds object = 32;
    static constexpr Kinds place = 64;
    static constexpr Kinds person = adult | child;
    static constexpr Kinds being = person | animal;
    static constexpr Kinds thing = text | food | object;
    static constexpr Kinds any = being | thing | place;
};

/// Whether "my" may stand before a noun: "my brother" always, "my boy" never.
enum class Possession { free, never, always };

struct Noun {
    std::array<std::string_view, 2> french;   // singular, plural
    std::array<std::string_view, 2> english;  // singular, plural
    Gender gender;
    Kinds kind;
    Possession possession = Possession::free;
};

struct Adjective {
    std::array<std::string_view, 4> french;  // petit, petite, petits, petites
    std::string_view before_vowel;           // masculine singular: "un vieil ami"
    std::string_view english;
    std::string_view person_is;  // "he is tall", where a thing is big
    bool before_noun;            // in French; in English all are
    Kinds attributive;           // what it stands beside: not "petite amie" (girlfriend)
    Kinds predicative;           // what it is said of
    bool gradable = true;        // goes with "very"
};

struct Profession {
    std::array<std::string_view, 4> french;   // as of an adjective
    std::array<std::string_view, 2> english;  // singular, plural
};

/// What the pronouns le and la are in English when they are a verb's object.
enum class ObjectPronoun { none, him_or_her, it };

struct Verb {
    std::array<std::string_view, 6> present;  // je, tu, il, nous, vous, ils
    std::string_view infinitive;
    std::string_view english;      // "look"
    std::string_view third;        // "looks"
    std::string_view preposition;  // "for"; mostly empty
    Kinds subjects;
    Kinds objects = 0;  // 0: no object
    ObjectPronoun pronoun = ObjectPronoun::none;
    bool gives = false;      // has a recipient too
    bool indefinite = true;  // may have an object such as "a dog"
};

std::span<const Noun> nouns();
std::span<const Adjective> adjectives();
std::span<const Profession> professions();
std::span<const Verb> verbs();

/// The entry whose first French form, for a verb the infinitive, is this. Throws
/// std::invalid_argument when there is none.
const Noun& noun(std::string_view french);
const Adjective& adjective(std::string_view french);
const Profession& profession(std::string_view french);
const Verb& verb(std::string_view infinitive);

}  // namespace bert
