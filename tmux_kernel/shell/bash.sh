# tmux-kernel's integration for bash 4.4 and newer.
#
# Sourced once in the pane's own shell. The preamble written before it sets __tk_secret, __tk_home, __tk_lease,
# and the numbers to go on from (__tk_seq, __tk_p). No process is started here, nothing is exported, and every
# option or variable of the user's that is borrowed is given back by __tk_release.
#
# Marks are written to /dev/tty: a cell may redirect the shell's own stdout and stderr.
# Every hook runs inside `{ …; } >/dev/null 2>&1` so that set -x and DEBUG traps have nothing to say about it,
# and under `local -` so that set -a, -e, -f, -k and -u do not reach it. Locals carry the prefix too: a user's
# `readonly name` must not stop one.

__tk_hook_first='{ __tk_first; } >/dev/null 2>&1'
__tk_hook_last='{ __tk_last; } >/dev/null 2>&1'
__tk_shown='' __tk_ended=0 __tk_asked=0 __tk_stash='' __tk_histset='' __tk_nohist=$'\001\002#'

# -- what stands in for the user's settings -----------------------------------------------------------------

__tk_end() {  # STATUS: close the run; once per prompt
    __tk_p=$((__tk_p + 1))
    \builtin printf '\e]133;D;%s;tk=%s:%s:%s\a' "$1" "$__tk_secret" "$__tk_p" "$__tk_seq" >/dev/tty
    __tk_ended=1
}

__tk_tell() {  # TOPIC [FIELD…]
    \builtin local __tk_fields
    \builtin printf -v __tk_fields '%s;' "$@"
    \builtin printf '\e]133;T;%stk=%s:%s\a' "$__tk_fields" "$__tk_secret" "$__tk_p" >/dev/tty
}

__tk_set_ps1() {  # STATUS: the structured prompt, computed here so that it needs no expansion later
    \builtin local __tk_t __tk_hour __tk_half=am
    \builtin printf -v __tk_t '%(%m%d%Y%H%M%S)T' -1
    __tk_hour=$((10#${__tk_t:8:2}))
    if ((__tk_hour >= 12)); then __tk_half=pm; fi
    __tk_hour=$((__tk_hour % 12))
    if ((__tk_hour == 0)); then __tk_hour=12; fi
    if ((__tk_hour < 10)); then __tk_hour=0$__tk_hour; fi
    \builtin local __tk_months=janfebmaraprmayjunjulaugsepoctnovdec
    __tk_t=${__tk_months:(10#${__tk_t:0:2} - 1) * 3:3}${__tk_t:2:6}:$__tk_hour${__tk_t:10:4}$__tk_half
    \builtin local __tk_mark="tk=$__tk_secret:$__tk_p\\a\\]"
    PS1="\\[\\e]133;A;$__tk_mark\\u@\\h - $__tk_t seq:$__tk_seq rslt:$1 bash \\\$ \\[\\e]133;B;$__tk_mark"
    __tk_shown=$PS1
}

__tk_take() {  # notice what the user made of PS1, PS0 and PS2 since we set them, and stand in again
    if [[ ${PS1-} != "$__tk_shown" ]]; then
        __tk_ps1_set=${PS1+x}
        if [[ -n $__tk_shown && ${PS1-} == *"$__tk_shown"* ]]; then
            __tk_ps1=${PS1/"$__tk_shown"/"$__tk_ps1"}
        else
            __tk_ps1=${PS1-}
        fi
    fi
    if [[ ${PS0-} != "$__tk_ps0$__tk_mark0" ]]; then
        __tk_ps0=${PS0-}
        __tk_ps0=${__tk_ps0/"$__tk_mark0"/}
        PS0=$__tk_ps0$__tk_mark0
    fi
    if [[ ${PS2-} != "$__tk_ps2$__tk_mark2" ]]; then
        __tk_ps2=${PS2-}
        __tk_ps2=${__tk_ps2/"$__tk_mark2"/}
        PS2=$__tk_ps2$__tk_mark2
    fi
    \builtin shopt -q promptvars || { __tk_promptvars=u; \builtin shopt -s promptvars; }
}

__tk_users_hooks() {  # sets the array `__tk_kept`: PROMPT_COMMAND without ours
    \builtin local __tk_entry
    __tk_kept=()
    for __tk_entry in ${PROMPT_COMMAND[@]+"${PROMPT_COMMAND[@]}"}; do
        __tk_entry=${__tk_entry//"$__tk_hook_first; "/}
        __tk_entry=${__tk_entry//"; $__tk_hook_last"/}
        __tk_entry=${__tk_entry//"$__tk_hook_first"/}
        __tk_entry=${__tk_entry//"$__tk_hook_last"/}
        if [[ -n $__tk_entry ]]; then __tk_kept+=("$__tk_entry"); fi
    done
}

__tk_hook() {  # be first and last in PROMPT_COMMAND again
    \builtin local -a __tk_kept
    if ((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] >= 501)); then
        if [[ ${PROMPT_COMMAND[0]-} == "$__tk_hook_first" && ${PROMPT_COMMAND[-1]-} == "$__tk_hook_last" ]]; then
            return 0
        fi
        __tk_users_hooks
        if [[ ${PROMPT_COMMAND@a} == *x* ]]; then __tk_exported=x; fi
        \builtin unset PROMPT_COMMAND
        PROMPT_COMMAND=("$__tk_hook_first" ${__tk_kept[@]+"${__tk_kept[@]}"} "$__tk_hook_last")
    else
        if [[ ${PROMPT_COMMAND-} == "$__tk_hook_first; "*"$__tk_hook_last" ]]; then return 0; fi
        __tk_users_hooks
        PROMPT_COMMAND="$__tk_hook_first; ${__tk_kept[0]:+${__tk_kept[0]}; }$__tk_hook_last"
    fi
}

# -- what bash and the kernel call --------------------------------------------------------------------------

__tk_first() {  # before the user's own PROMPT_COMMAND: its output is not the cell's
    __tk_s=$?
    \builtin local -
    \builtin set +aefkuvx
    __tk_ended=0
    # Something put in front of us in the same string has changed $?; then __tk_last knows it better.
    if [[ ${PROMPT_COMMAND[0]} == "$__tk_hook_first"* ]]; then __tk_end "$__tk_s"; fi
    if ((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] < 501)); then \builtin return "$__tk_s"; fi
    \builtin return 0
}

__tk_last() {  # after it: whatever it made of PS1, the prompt shown is ours
    __tk_s=$?
    \builtin local -
    \builtin set +aefkuvx
    if ((!__tk_ended)); then __tk_end "$__tk_s"; fi
    __tk_ended=0
    if [[ -n $__tk_histset ]]; then
        if [[ ${histchars-} != "$__tk_nohist" ]]; then :  # the cell chose its own
        elif [[ $__tk_histset == set ]]; then histchars=$__tk_histchars; else \builtin unset histchars; fi
        __tk_histset=''
    fi
    if [[ ! -e $__tk_lease ]]; then
        __tk_take
        __tk_release
        \builtin return 0
    fi
    __tk_take
    __tk_hook
    __tk_set_ps1 "$__tk_s"
    if [[ ! -o emacs && ! -o vi ]]; then __tk_tell keyless; fi
    \builtin return 0
}

__tk_arm() {  # by key, just before a cell is typed: the cell sees the user's PS1, and `!` is an ordinary character
    __tk_s=$?
    \builtin local -
    \builtin set +aefkuvx
    __tk_tell arm "$__tk_s" "${#READLINE_LINE}"
    if [[ -n $READLINE_LINE ]]; then  # somebody typed in this very moment: their line comes back afterwards
        __tk_stash=$READLINE_LINE READLINE_LINE='' READLINE_POINT=0
    fi
    __tk_take
    __tk_hook
    if [[ -n $__tk_ps1_set ]]; then PS1=$__tk_ps1; else \builtin unset PS1; fi
    if [[ -n ${histchars+x} ]]; then __tk_histset=set __tk_histchars=$histchars; else __tk_histset=unset; fi
    histchars=$__tk_nohist
}

# By key: is this our shell, at its prompt, with an empty line? And $?, should the hooks be gone. While a cell runs
# the hooks are intact only if the prompt is not bash's own (`read -e`): at bash's own they would have run.
__tk_hello() {
    __tk_s=$?
    \builtin local -
    \builtin set +aefkuvx
    if [[ -z $READLINE_LINE && -n $__tk_stash ]]; then
        READLINE_LINE=$__tk_stash READLINE_POINT=${#__tk_stash} __tk_stash=''
    fi
    \builtin local __tk_intact=0
    if [[ ${PROMPT_COMMAND[0]-} == "$__tk_hook_first"* && $__tk_shown != "${PS1-}" ]]; then __tk_intact=1; fi
    __tk_take
    __tk_hook
    __tk_tell hello "$__tk_s" "${#READLINE_LINE}" "$__tk_seq" "$__tk_intact"
}

__tk_ask() {  # by key: answer the question in the file `ask`; the half-typed line is left alone
    __tk_s=$?
    \builtin local -
    \builtin set +aefkuvx
    \builtin local IFS=$' \t\n'
    \builtin local -a __tk_question
    \builtin mapfile -t __tk_question <"$__tk_home/ask"
    if [[ -z ${__tk_answers-} ]]; then
        \builtin source "$__tk_home/ask.sh"
        __tk_answers=1
    fi
    __tk_answer "${__tk_question[@]:1}" >|"$__tk_home/answer" 2>/dev/null </dev/null
    __tk_tell answer "${__tk_question[0]}"
}

__tk_release() {  # give everything back and be gone
    \builtin local -a __tk_kept
    \builtin local __tk_map __tk_name
    __tk_users_hooks
    \builtin unset PROMPT_COMMAND
    if [[ $__tk_shape == array || ${#__tk_kept[@]} -gt 1 ]]; then
        PROMPT_COMMAND=(${__tk_kept[@]+"${__tk_kept[@]}"})
    elif [[ -n ${__tk_kept[0]-} ]]; then
        PROMPT_COMMAND=${__tk_kept[0]}
    elif [[ $__tk_shape == scalar ]]; then
        PROMPT_COMMAND=
    fi
    if [[ -n $__tk_exported && -n ${PROMPT_COMMAND+x} ]]; then \builtin export PROMPT_COMMAND; fi
    if [[ -n $__tk_ps1_set ]]; then PS1=$__tk_ps1; else \builtin unset PS1; fi
    if [[ -n $__tk_ps0 || -n $__tk_ps0_set ]]; then PS0=$__tk_ps0; else \builtin unset PS0; fi
    if [[ -n $__tk_ps2 || -n $__tk_ps2_set ]]; then PS2=$__tk_ps2; else \builtin unset PS2; fi
    if [[ $__tk_promptvars == u ]]; then \builtin shopt -u promptvars; fi
    for __tk_map in emacs-standard vi-insert vi-command; do
        for __tk_name in 1 2 3 4; do \builtin bind -m "$__tk_map" -r "\\e[575$__tk_name~" 2>/dev/null; done
    done
    __tk_tell released
    __tk_vanish
}

__tk_vanish() {  # leave no name of ours behind
    \builtin local __tk_name
    for __tk_name in "${!__tk_@}"; do \builtin unset -v "$__tk_name"; done
    for __tk_name in first last end tell set_ps1 take users_hooks hook arm hello ask answer bye release vanish \
        complete complete_command complete_argument inspect expand teach; do
        \builtin unset -f "__tk_$__tk_name"
    done
}

__tk_bye() {  # by key: release at once
    \builtin local -
    \builtin set +aefkuvx
    __tk_take
    __tk_release
}

# -- install --------------------------------------------------------------------------------------------------

__tk_install() {
    \builtin local - __tk_map
    \builtin set +aefkuvx
    if ((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] < 404)); then
        __tk_tell unsupported "bash $BASH_VERSION"
        __tk_vanish
        return 0
    fi
    if [[ ${PROMPT_COMMAND@a}${PS0@a}${PS1@a}${PS2@a}${histchars@a} == *r* ]]; then
        __tk_tell unsupported "a read-only PS1 or PROMPT_COMMAND"
        __tk_vanish
        return 0
    fi
    __tk_ps1=${PS1-} __tk_ps1_set=${PS1+x} __tk_ps0=${PS0-} __tk_ps0_set=${PS0+x} __tk_ps2=${PS2-} __tk_ps2_set=${PS2+x}
    __tk_promptvars=s __tk_exported=''
    __tk_shown=${PS1-}
    __tk_mark0="\\e]133;C;tk=$__tk_secret:\$((__tk_seq+=1))\\a"
    __tk_mark2="\\[\\e]133;P;k=s;tk=$__tk_secret\\a\\]"
    __tk_shape=unset
    if [[ ${PROMPT_COMMAND@a} == *a* ]]; then
        __tk_shape=array
    elif [[ -n ${PROMPT_COMMAND+x} ]]; then
        __tk_shape=scalar
    fi
    __tk_take
    __tk_hook
    # "$_" as their last word leaves $_ as it was.
    for __tk_map in emacs-standard vi-insert vi-command; do
        \builtin bind -m "$__tk_map" -x '"\e[5751~": { __tk_arm "$_"; } >/dev/null 2>&1'
        \builtin bind -m "$__tk_map" -x '"\e[5752~": { __tk_hello "$_"; } >/dev/null 2>&1'
        \builtin bind -m "$__tk_map" -x '"\e[5753~": { __tk_ask "$_"; } >/dev/null 2>&1'
        \builtin bind -m "$__tk_map" -x '"\e[5754~": { __tk_bye "$_"; } >/dev/null 2>&1'
    done
}
{ __tk_install; } >/dev/null 2>&1
\builtin unset -f __tk_install
