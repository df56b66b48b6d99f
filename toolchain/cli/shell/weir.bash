# Completion of weir in bash: the command itself lists its subcommands and options (--help=words).
_weir() {
    local word=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]} list
    COMPREPLY=()
    if [ "$COMP_CWORD" -eq 1 ] || { [ "$COMP_CWORD" -eq 2 ] && [ "$command" = help ]; }; then
        list="$(weir --help=words 2>/dev/null | cut -f1) help"
        case $word in -*) list="--help --version" ;; esac
    elif [[ $word == -* ]]; then
        list=$(weir "$command" --help=words 2>/dev/null | cut -f1)
    else
        compopt -o default 2>/dev/null
        return
    fi
    mapfile -t COMPREPLY < <(compgen -W "$list" -- "$word")
}
complete -F _weir weir
