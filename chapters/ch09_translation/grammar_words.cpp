#include "ch09_translation/grammar_words.hpp"

#include <stdexcept>
#include <string>

namespace bert {

namespace {

constexpr Gender masculine = Gender::masculine;
constexpr Gender feminine = Gender::feminine;

// clang-format off
constexpr Noun all_nouns[] = {
    {{"garçon", "garçons"}, {"boy", "boys"}, masculine, Kind::child, Possession::never},
    {{"fille", "filles"}, {"girl", "girls"}, feminine, Kind::child, Possession::never},
    {{"homme", "hommes"}, {"man", "men"}, masculine, Kind::adult, Possession::never},
    {{"femme", "femmes"}, {"woman", "women"}, feminine, Kind::adult, Possession::never},
    {{"ami", "amis"}, {"friend", "friends"}, masculine, Kind::adult},
    {{"amie", "amies"}, {"friend", "friends"}, feminine, Kind::adult},
    {{"frère", "frères"}, {"brother", "brothers"}, masculine, Kind::adult, Possession::always},
    {{"sœur", "sœurs"}, {"sister", "sisters"}, feminine, Kind::adult, Possession::always},
    {{"chien", "chiens"}, {"dog", "dogs"}, masculine, Kind::animal},
    {{"chat", "chats"}, {"cat", "cats"}, masculine, Kind::animal},
    {{"cheval", "chevaux"}, {"horse", "horses"}, masculine, Kind::animal},
    {{"oiseau", "oiseaux"}, {"bird", "birds"}, masculine, Kind::animal},
    {{"livre", "livres"}, {"book", "books"}, masculine, Kind::text},
    {{"lettre", "lettres"}, {"letter", "letters"}, feminine, Kind::text},
    {{"histoire", "histoires"}, {"story", "stories"}, feminine, Kind::text},
    {{"gâteau", "gâteaux"}, {"cake", "cakes"}, masculine, Kind::food},
    {{"pomme", "pommes"}, {"apple", "apples"}, feminine, Kind::food},
    {{"œuf", "œufs"}, {"egg", "eggs"}, masculine, Kind::food},
    {{"voiture", "voitures"}, {"car", "cars"}, feminine, Kind::object},
    {{"fleur", "fleurs"}, {"flower", "flowers"}, feminine, Kind::object},
    {{"maison", "maisons"}, {"house", "houses"}, feminine, Kind::place},
    {{"jardin", "jardins"}, {"garden", "gardens"}, masculine, Kind::place},
    {{"école", "écoles"}, {"school", "schools"}, feminine, Kind::place},
};

constexpr Kinds coloured = Kind::animal | Kind::object;
constexpr Kinds ages = Kind::any & ~Kind::food;  // but "vieille fille" is a spinster

constexpr Adjective all_adjectives[] = {
    {{"petit", "petite", "petits", "petites"}, "petit", "small", "short", true,
     Kind::any & ~Kind::person, Kind::any},
    {{"grand", "grande", "grands", "grandes"}, "grand", "big", "tall", true,
     Kind::any & ~Kind::person, Kind::any},
    {{"vieux", "vieille", "vieux", "vieilles"}, "vieil", "old", "old", true,
     ages & ~Kind::child, ages},
    {{"jeune", "jeune", "jeunes", "jeunes"}, "jeune", "young", "young", true,
     Kind::being, Kind::being},
    {{"beau", "belle", "beaux", "belles"}, "bel", "beautiful", "beautiful", true,
     coloured | Kind::place, coloured | Kind::place},
    {{"noir", "noire", "noirs", "noires"}, "noir", "black", "black", false,
     coloured, coloured, false},
    {{"blanc", "blanche", "blancs", "blanches"}, "blanc", "white", "white", false,
     coloured | Kind::place, coloured | Kind::place, false},
    {{"rouge", "rouge", "rouges", "rouges"}, "rouge", "red", "red", false,
     Kind::object | Kind::food, Kind::object | Kind::food, false},
    {{"intéressant", "intéressante", "intéressants", "intéressantes"}, "intéressant",
     "interesting", "interesting", false, Kind::text, Kind::text},
    {{"intelligent", "intelligente", "intelligents", "intelligentes"}, "intelligent",
     "intelligent", "intelligent", false, Kind::being, Kind::being},
    {{"fatigué", "fatiguée", "fatigués", "fatiguées"}, "fatigué", "tired", "tired", false,
     Kind::being, Kind::being},
};

constexpr Profession all_professions[] = {
    {{"étudiant", "étudiante", "étudiants", "étudiantes"}, {"student", "students"}},
    {{"médecin", "médecin", "médecins", "médecins"}, {"doctor", "doctors"}},
    {{"artiste", "artiste", "artistes", "artistes"}, {"artist", "artists"}},
};

constexpr Verb all_verbs[] = {
    {{"vois", "vois", "voit", "voyons", "voyez", "voient"}, "voir", "see", "sees", "",
     Kind::being, Kind::any, ObjectPronoun::him_or_her},
    {{"cherche", "cherches", "cherche", "cherchons", "cherchez", "cherchent"}, "chercher",
     "look", "looks", "for", Kind::being, Kind::any, ObjectPronoun::him_or_her},
    {{"aime", "aimes", "aime", "aimons", "aimez", "aiment"}, "aimer", "love", "loves", "",
     Kind::being, Kind::any, ObjectPronoun::none, false, false},
    {{"aide", "aides", "aide", "aidons", "aidez", "aident"}, "aider", "help", "helps", "",
     Kind::person, Kind::being, ObjectPronoun::none},
    {{"ai", "as", "a", "avons", "avez", "ont"}, "avoir", "have", "has", "",
     Kind::person, Kind::animal | Kind::thing, ObjectPronoun::it},
    {{"lis", "lis", "lit", "lisons", "lisez", "lisent"}, "lire", "read", "reads", "",
     Kind::person, Kind::text, ObjectPronoun::it},
    {{"écris", "écris", "écrit", "écrivons", "écrivez", "écrivent"}, "écrire", "write", "writes", "",
     Kind::person, Kind::text, ObjectPronoun::it},
    {{"mange", "manges", "mange", "mangeons", "mangez", "mangent"}, "manger", "eat", "eats", "",
     Kind::being, Kind::food, ObjectPronoun::it},
    {{"achète", "achètes", "achète", "achetons", "achetez", "achètent"}, "acheter", "buy", "buys", "",
     Kind::person, Kind::animal | Kind::thing, ObjectPronoun::it},
    {{"donne", "donnes", "donne", "donnons", "donnez", "donnent"}, "donner", "give", "gives", "",
     Kind::person, Kind::animal | Kind::thing, ObjectPronoun::none, true},
    {{"dors", "dors", "dort", "dormons", "dormez", "dorment"}, "dormir", "sleep", "sleeps", "",
     Kind::being},
    {{"travaille", "travailles", "travaille", "travaillons", "travaillez", "travaillent"},
     "travailler", "work", "works", "", Kind::person},
};
// clang-format on

template <typename Entry>
const Entry& find(std::span<const Entry> entries, std::string_view word, auto first_form) {
    for (const Entry& entry : entries) {
        if (first_form(entry) == word) return entry;
    }
    throw std::invalid_argument{"the grammar has no word \"" + std::string{word} + "\" here"};
}

constexpr auto first_french = [](const auto& entry) { return entry.french[0]; };

}  // namespace

std::span<const Noun> nouns() {
    return all_nouns;
}

std::span<const Adjective> adjectives() {
    return all_adjectives;
}

std::span<const Profession> professions() {
    return all_professions;
}

std::span<const Verb> verbs() {
    return all_verbs;
}

const Noun& noun(std::string_view french) {
    return find(nouns(), french, first_french);
}

const Adjective& adjective(std::string_view french) {
    return find(adjectives(), french, first_french);
}

const Profession& profession(std::string_view french) {
    return find(professions(), french, first_french);
}

const Verb& verb(std::string_view infinitive) {
    return find(verbs(), infinitive, [](const Verb& entry) { return entry.infinitive; });
}

}  // namespace bert
