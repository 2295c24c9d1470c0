#!/bin/sh
# Answers the request whose nonce begins $_cz_L, with $_cz_k. A shell that cannot tell the end of a text (its printf is switched
# off) ends, and is seen to.
_cz_L=${_cz_L%% *}
# shellcheck disable=SC2015
{ command printf '%s%s:%s;' "${_cz_L#*.}" "${_cz_L%.*}" "$_cz_k" >&8 && command printf '%s%s;' "${_cz_L#*.}" "${_cz_L%.*}" >&9; } || command exit 77
_cz_L=''
