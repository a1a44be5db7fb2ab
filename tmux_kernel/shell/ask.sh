# Answers to the kernel's questions about a shell: completion, inspection, expansion.
#
# Sourced in the pane's own shell when it is first asked (__tk_ask), and in the helper shell that answers while
# the pane is busy (helper.sh). Answers go to stdout, one per line; nothing may be left changed in the shell.

__tk_answer() {  # VERB ARGUMENT…
    case $1 in
        complete) \builtin shift; __tk_complete "$@" ;;
        inspect) __tk_inspect "$2" ;;
        expand) \builtin shift; __tk_expand "$@" ;;
        learn) \builtin source "$2" ;;
        teach) __tk_teach "$2" ;;
    esac
}

__tk_teach() {  # FILE: variables' names as the answer; functions, aliases and completions to FILE, for the helper
    \builtin local -a functions
    \builtin mapfile -t functions < <(\builtin compgen -A function -X '__tk_*')
    {
        if ((${#functions[@]})); then \builtin declare -f -- "${functions[@]}"; fi
        \builtin alias -p
        \builtin complete -p
    } >|"$1"
    \builtin compgen -A variable -X '__tk_*'
}

__tk_complete() {  # KIND WORD [COMMAND WORDS…]
    case $1 in
        variable) \builtin compgen -A variable -- "$2" ;;
        command) __tk_complete_command "$2" ;;
        path) \builtin compgen -f -- "$2" ;;
        argument) \builtin shift; __tk_complete_argument "$@" ;;
    esac
}

__tk_complete_command() {
    if [[ $1 == */* || $1 == '~'* ]]; then
        \builtin compgen -f -- "$1"
    else
        \builtin compgen -c -- "$1"
        \builtin compgen -d -S / -- "$1"
    fi
}

# WORD COMMAND WORDS… : what the command's own completion says, nothing if it has none. First a line that says
# whether they are files: such have to be quoted, and bash would add the slash to a directory.
__tk_complete_argument() {
    \builtin local word=$1 spec function options __tk_files=words
    \builtin shift
    \builtin local -a COMP_WORDS COMPREPLY
    COMP_WORDS=("$@") COMPREPLY=()
    \builtin local COMP_CWORD=$(($# - 1)) COMP_LINE="$*" COMP_TYPE=9 COMP_KEY=9
    \builtin local COMP_POINT=${#COMP_LINE}
    if ! \builtin complete -p -- "$1" >/dev/null 2>&1; then
        if \builtin declare -F _comp_load >/dev/null; then _comp_load -- "$1" >/dev/null 2>&1
        elif \builtin declare -F _completion_loader >/dev/null; then _completion_loader "$1" >/dev/null 2>&1
        else \builtin return 0
        fi
    fi
    spec=$(\builtin complete -p -- "$1" 2>/dev/null) || \builtin return 0
    options=${spec#complete }
    options=${options% *}
    if [[ $spec == *" -F "* ]]; then
        function=${options##*-F }
        function=${function%% *}
        compopt() { \builtin local IFS=' '; if [[ " $*" == *" -o filenames"* ]]; then __tk_files=files; fi; }
        "$function" "$1" "$word" "${COMP_WORDS[COMP_CWORD - 1]}" >/dev/null 2>&1
        \builtin unset -f compopt
        if [[ $options == *"-o filenames"* ]]; then __tk_files=files; fi
        \builtin printf '%s\n' "$__tk_files" ${COMPREPLY[@]+"${COMPREPLY[@]}"}
    else
        if [[ " $options" == *" -"[fd]* || $options == *"-o filenames"* ]]; then __tk_files=files; fi
        \builtin printf '%s\n' "$__tk_files"
        \builtin eval "\\builtin compgen $options -- \"\$word\"" 2>/dev/null
    fi
}

__tk_inspect() {  # NAME: what the name is, then its help
    \builtin type -a -- "$1" 2>/dev/null
    \builtin declare -p -- "$1" 2>/dev/null
    if \builtin help -m -- "$1" >/dev/null 2>&1; then
        \builtin printf '\n'
        \builtin help -m -- "$1"
    fi
}

__tk_expand() {  # EXPRESSION: as it would read inside double quotes
    \builtin local __tk_value
    if \builtin eval "__tk_value=\"$1\"" 2>/dev/null; then
        \builtin printf 'ok\n%s' "$__tk_value"
    else
        \builtin printf 'error\n'
    fi
}
