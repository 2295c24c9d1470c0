#!/bin/sh
# Prints the limits of the shell beside those that it had first: they are long, and so compared only where they are taken up.
# shellcheck disable=SC3045
command printf "_cz_k='%s\n' _cz_x='" "$_cz_l" && {
  command ulimit -Sa
  command ulimit -Ha
  command printf "'; case \$_cz_x in \"\$_cz_k\") ;; *) _cz_w=\${_cz_w}l;; esac; _cz_k=\n"
}
