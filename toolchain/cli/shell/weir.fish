# Completion of weir in fish: the command itself lists its subcommands and options (--help=words).
function __weir_options
    set -l words (commandline -opc)
    weir $words[2] --help=words 2>/dev/null | while read -d \t name letter value what
        printf '%s\t%s\n' $name $what
    end
end
complete -c weir -n 'test (count (commandline -opc)) -eq 1' -f -a "(weir --help=words 2>/dev/null; printf 'help\texplain a command\n')"
complete -c weir -n 'test (count (commandline -opc)) -ge 2; and string match -q -- "-*" (commandline -ct)' -a '(__weir_options)'
