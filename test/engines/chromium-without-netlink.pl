#!/usr/bin/perl
# Runs Chromium without netlink sockets, by a seccomp filter (seccomp(2)), so that it does not see the interfaces of the host.
# Chromium breaks off its requests when an address comes or goes there (ERR_NETWORK_CHANGED), those to the loopback too: each
# container that another test starts does that.
#
# CHROMIUM is the program; the arguments are its own.
use strict;
use warnings;
use Config;

# prctl(2) and socket(2) by their numbers; 38 is PR_SET_NO_NEW_PRIVS, 22 PR_SET_SECCOMP, 16 AF_NETLINK, 97 EAFNOSUPPORT.
my ($prctl, $socket) = $Config{archname} =~ /^x86_64/ ? (157, 41) : (167, 198);
my @filter = (
  [0x20, 0, 0, 0],               # the number of the system call
  [0x15, 0, 3, $socket],
  [0x20, 0, 0, 16],              # its first argument
  [0x15, 0, 1, 16],
  [0x06, 0, 0, 0x00050000 | 97], # fails
  [0x06, 0, 0, 0x7fff0000],      # goes on
);
my $code = join '', map { pack 'SCCL', @$_ } @filter;
my $program = pack 'Sx![P]P', scalar @filter, $code;
syscall($prctl, 38, 1, 0, 0, 0) == 0 or die "no_new_privs: $!\n";
syscall($prctl, 22, 2, $program, 0, 0) == 0 or die "seccomp: $!\n";
exec { $ENV{CHROMIUM} } $ENV{CHROMIUM}, @ARGV or die "$ENV{CHROMIUM}: $!\n";
