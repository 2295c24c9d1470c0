# shellcheck shell=bash
# Completion of caisson for bash: source <(caisson completion bash)
_caisson() {
  local line last=${COMP_WORDS[COMP_CWORD]}
  COMPREPLY=()
  while IFS= read -r line; do
    COMPREPLY+=("${line%%$'\t'*}")
  done < <(caisson completion words -- "${COMP_WORDS[@]:1:COMP_CWORD-1}" "=$last" 2>/dev/null)
}
complete -o default -F _caisson caisson
