#!/bin/sh
# An error in a trap ends the text that runs, and nothing of the text runs after it.
trap '\: ${_cz_ended?ended}' URG
