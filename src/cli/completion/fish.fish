# Completion of caisson for fish: caisson completion fish | source
function __caisson_words
    set -l words (commandline -opc)
    set -l last (commandline -ct)
    caisson completion words -- $words[2..-1] "=$last" 2>/dev/null
end
complete -c caisson -f -a '(__caisson_words)'
complete -c caisson -n 'contains -- -- (commandline -opc)' -F
