#!/bin/sh
# Links at the end of a path, followed by hand: of a link that leads nowhere, `readlink -f` of BusyBox names another place.

# As many links as the kernel follows.
links_seen=
may_follow() { [ "${#links_seen}" -lt 40 ]; }

# Goes one link on from $path, whether it leads to something or not. The dot keeps newlines at the end of a name, which
# $(...) would cut.
follow_one() {
  link_target=$(readlink "$path" && echo .) || return 1
  link_target=${link_target%??} links_seen=${links_seen}.
  while :; do case $link_target in ?*/) link_target=${link_target%/} ;; *) break ;; esac; done
  case $link_target in
    /*) path=$link_target ;;
    *) path=${path%/*}/$link_target ;;
  esac
}

follow_links() {
  links_seen=
  while [ -L "$path" ] && may_follow; do follow_one || break; done
}
