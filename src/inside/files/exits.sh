#!/bin/sh
# Exit codes of the scripts for files. They say which step failed and choose the words of an error, nothing else: the
# sandbox may lie. `src/files/exits.ts` has the same numbers.
exit_denied=81
exit_elsewhere=82
exit_sizeless=83
exit_directory=84
exit_pattern=85
exit_not_empty=86
exit_exists=87
exit_changed=88
exit_withheld=89
exit_no_tar=90
exit_missing=91
exit_no_parent=92
exit_is_directory=93
exit_not_directory=94
exit_no_scratch=95
exit_tar_failed=96
exit_incomplete=97
exit_not_placed=98
exit_special=99
