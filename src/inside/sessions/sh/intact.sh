#!/bin/sh
# Special builtins, such as `unset`, cannot be shadowed here.
case $(unset -f type unalias; \unalias command; \type command) in
  *function*)
    unset -f command || exit 77
    _cz_insert_command_gone
    ;;
esac
