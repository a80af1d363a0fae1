#!/bin/sh
# Builds the documentation as a site that works without a network.
#
#   tools/docs/build_site.sh [OUTDIR]      default: build/docs; the first page is OUTDIR/index.html
#
# Fails on any warning of Doxygen. MATHJAX names the folder of MathJax 2.
set -eu

case "${1:-}" in
-h | --help)
    sed -n '2,6s/^# \{0,1\}//p' "$0"
    exit 0
    ;;
esac
fail() {
    echo "error: $*" >&2
    exit 1
}
root=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd)
out=${1:-"$root/build/docs"}
case "$out" in
/*) ;;
*) out=$(pwd)/$out ;;
esac
mathjax=${MATHJAX:-/usr/share/javascript/mathjax}
for tool in doxygen dot perl; do
    command -v "$tool" >/dev/null ||
        fail "$tool is missing; './learn docs' installs all that the site needs"
done
[ -f "$mathjax/MathJax.js" ] || fail "MathJax is missing in $mathjax (package libjs-mathjax)"
mark=$out/.site
if [ -d "$out" ] && [ ! -f "$mark" ] && [ -n "$(ls -A "$out")" ]; then
    fail "$out is not empty and not an earlier site; name another folder"
fi
rm -rf "$out"
mkdir -p "$out"
: >"$mark"

cd "$root"
{
    cat docs/Doxyfile
    echo "OUTPUT_DIRECTORY = \"$out\""
    echo "HTML_OUTPUT = \"$out\""
} | doxygen -

# The part of MathJax that draws TeX as SVG.
for part in MathJax.js extensions jax/input/TeX jax/element jax/output/SVG/jax.js \
    jax/output/SVG/config.js jax/output/SVG/autoload jax/output/SVG/fonts/TeX; do
    mkdir -p "$out/mathjax/$(dirname "$part")"
    cp -RL "$mathjax/$part" "$out/mathjax/$part"
done

# Images of the pages, under the names that md4doxygen.pl gives them.
mkdir -p "$out/images"
find docs chapters -type f \( -name '*.svg' -o -name '*.png' \) | while IFS= read -r image; do
    cp "$image" "$out/images/$(printf '%s' "$image" | sed 's|/|__|g')"
done
echo "$out/index.html"
