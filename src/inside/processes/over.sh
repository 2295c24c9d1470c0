#!/bin/sh
# Whether the process of this directory has ended. One without an exit is given a moment to record it; one that is young and
# has no child yet is about to start.
over() {
  [ -e exit ] || {
    { [ -n "$(find . -maxdepth 0 -mmin +1)" ] || [ -e child ]; } && ! alive pid && ! alive child && sleep 0.1
  } 2>/dev/null
}
