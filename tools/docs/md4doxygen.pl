#!/usr/bin/perl
# Doxygen input filter: GitHub's Markdown in, Doxygen 1.9.4's Markdown out.
#
# Runs from the repository's root (docs/Doxyfile: FILTER_PATTERNS). Code shown in a lesson stays the
# fenced block that tools/docs/sync.py filled; only its markers go.
use strict;
use warnings;
use utf8;
use Cwd qw(abs_path getcwd);
use File::Basename;
use File::Spec;
binmode STDOUT, ':utf8';

my $file = shift // die "usage: md4doxygen.pl FILE.md\n";
open my $input, '<:utf8', $file or die "$file: $!\n";
my $directory = dirname($file);
my $page = page_id($file);
my $lesson = $file =~ /README\.md$/ ? from_root($directory) : '-';
my %below;
my %ALERTS = (NOTE => 'note', TIP => 'remark', IMPORTANT => 'attention', WARNING => 'warning',
              CAUTION => 'warning');

# A path relative to the root, whatever folder it was written from.
sub from_root {
    my $path = abs_path($_[0]);
    return defined $path ? File::Spec->abs2rel($path, getcwd()) : $_[0];
}

# The label of a page, the same in every link to it; "index" is Doxygen's name of the main page.
# (Its option USE_MDFILE_AS_MAINPAGE takes the README.md of every folder for the main page.)
sub page_id {
    my $id = from_root($_[0]);
    return 'index' if $id eq 'README.md';
    $id =~ s/\.md$//;
    $id =~ s/[^A-Za-z0-9]+/_/g;
    return lc $id;
}

# The anchor that GitHub makes from a heading.
sub slug {
    my $text = lc $_[0];
    $text =~ s/!?\[([^\]]*)\]\([^)]*\)/$1/g;
    $text =~ s/[^\w\s-]//g;
    $text =~ s/\s/-/g;
    return $text;
}

# Doxygen reads these files: see INPUT and EXCLUDE_PATTERNS in docs/Doxyfile.
sub is_page { return $_[0] =~ /\.md$/ && $_[0] !~ /\.zh\.md$|(?:^|\/)hints\.md$/ }
sub is_code { return $_[0] =~ /^(?:common|chapters)\/.*\.(?:hpp|cpp)$/ }

# A link to a file of the project; what the site does not hold keeps its text only.
sub link_to {
    my ($text, $target, $anchor) = @_;
    my $path = from_root("$directory/$target");
    $path .= '/README.md' if -f "$path/README.md";
    # The tasks of a lesson stand below it in the tree of pages.
    if ($path =~ /^\Q$lesson\E\/exercises\/.*\.md$/ && !$anchor && !$below{$path}++) {
        return '\\subpage ' . page_id($path) . " \"$text\"";
    }
    return "[$text](\@ref " . page_id($path) . ($anchor ? "--$anchor" : '') . ')' if is_page($path);
    return "[$text](\@ref $path)" if is_code($path);
    return $text;
}

# An image: tools/docs/build_site.sh copies it to images/ under the same name.
sub image {
    my ($text, $target) = @_;
    my $name = from_root("$directory/$target");
    $name =~ s/\//__/g;
    $text =~ s/"/&quot;/g;
    return "<img src=\"images/$name\" alt=\"$text\"/>";
}

# Links, images and formulas of one line, but not those inside `code`.
sub inline {
    my ($line) = @_;
    $line =~ s/\$`(.+?)`\$/\\f\$$1\\f\$/g;
    my @parts = split /(\\f\$.*?\\f\$|(?<!`)`[^`]+`(?!`))/, $line;
    my $text = '[^\[\]]*';
    my $joined = '';
    my @kept;
    for my $part (@parts) {    # code and formulas are set aside while links are rewritten
        if ($part =~ /^(?:\\f\$|`)/) { push @kept, $part; $joined .= "\x{1}$#kept\x{2}" }
        else { $joined .= $part }
    }
    $joined =~ s{!\[($text)\]\((?!\w+:)([^)\s]+)\)}{image($1, $2)}ge;
    $joined =~ s{\[($text)\]\(\#([^)\s]+)\)}{[$1](\@ref $page--$2)}g;
    $joined =~ s{\[($text)\]\((?!\w+:|\@ref)([^)#\s]+)(?:#([^)\s]+))?\)}{link_to($1, $2, $3)}ge;
    $joined =~ s{\x{1}(\d+)\x{2}}{$kept[$1]}g;
    return $joined;
}

my ($fence, $math, $alert, $first, %seen) = ('', 0, '', 1);
while (my $line = <$input>) {
    if ($math) {
        $math = $line !~ /^\s*```\s*$/;
        print $math ? $line : "\\f]\n";
        next;
    }
    if (!$fence && $line =~ /^\s*```math\s*$/) { $math = 1; print "\\f[\n"; next }
    if ($line =~ /^\s*(```+|~~~+)/) {
        if (!$fence) { $fence = $1 }
        elsif ($line =~ /^\s*\Q$fence\E\s*$/) { $fence = '' }
        $line =~ s/^(\s*```+)text\s*$/$1\n/;
        print $line;
        next;
    }
    if ($fence) { print $line; next }
    next if $line =~ /^\s*<!--.*-->\s*$/;
    if ($line =~ /^(#{1,6})\s+(.*?)\s*#*\s*$/) {    # a label that no other page has
        my ($level, $title) = ($1, $2);
        my $name = slug($title);
        my $count = $seen{$name}++;
        $name .= "-$count" if $count;
        my $id = $first ? ($page eq 'index' ? 'mainpage' : $page) : "$page--$name";
        $first = 0;
        $title =~ s/`//g;
        print "$level $title {#$id}\n";
        next;
    }
    if ($line =~ /^>\s*\[!(\w+)\]\s*$/ && $ALERTS{$1}) {    # > [!NOTE]
        $alert = "\@$ALERTS{$1} ";
        print "\n";
        next;
    }
    if ($alert ne '') {
        if ($line =~ s/^>\s?//) {
            $line = $alert eq 'more' ? "    $line" : "$alert$line";
            $alert = 'more';
        } else {
            $alert = '';
            print "\n";
        }
    }
    if ($line =~ m{^\s*(</?details[^>]*>|<summary>.*?</summary>)\s*$}) {
        print "\\htmlonly[block] $1 \\endhtmlonly\n";
        next;
    }
    print inline($line);
}
