#!/usr/bin/perl
# Doxygen input filter for headers: the comment at a file's head becomes the file's description, as
# it stands, and the text of /// comments is taken as plain words, not as Doxygen commands.
use strict;
use warnings;

my $file = shift // die "usage: hpp4doxygen.pl FILE.hpp\n";
open my $input, '<', $file or die "$file: $!\n";
my $head = 1;
while (my $line = <$input>) {
    if ($head && $line =~ m{^//(?!/) ?(.*)$}) {
        print $head == 1 ? "/** \@file\n\\verbatim\n" : '', "$1\n";
        $head = 2;
        next;
    }
    print "\\endverbatim */\n" if $head == 2;
    $head = 0;
    if ($line =~ m{^(\s*)///(?!/)(.*)$}) {
        my ($indent, $text) = ($1, $2);
        my @parts = split /(`[^`]*`|"[^"]*")/, $text;
        for (@parts) { s/([\\\@<>#%&])/\\$1/g unless /^`/ }
        $line = "$indent///" . join('', @parts) . "\n";
    }
    print $line;
}
