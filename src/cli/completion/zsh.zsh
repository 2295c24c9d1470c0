#compdef caisson
# Completion of caisson for zsh: source <(caisson completion zsh), after compinit
_caisson() {
  local line
  local -a found
  while IFS= read -r line; do
    found+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}")
  done < <(caisson completion words -- "${words[@]:1:$((CURRENT - 2))}" "=${words[CURRENT]}" 2>/dev/null)
  if (( ${#found} )); then
    _describe caisson found
  else
    _files
  fi
}
compdef _caisson caisson
