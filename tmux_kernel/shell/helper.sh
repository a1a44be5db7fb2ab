# A shell beside the pane: answers completion and inspection while the pane's own shell is busy, or when it has
# no programmable completion loaded. Requests on stdin and answers on stdout are NUL-terminated fields:
# COUNT CWD VERB ARGUMENT… → TEXT.
source "$1"
if [[ -r /usr/share/bash-completion/bash_completion ]]; then
    source /usr/share/bash-completion/bash_completion >/dev/null 2>&1
fi
while IFS= \builtin read -r -d '' count; do
    question=()
    for ((i = 0; i < count; i++)); do
        IFS= \builtin read -r -d '' field
        question+=("$field")
    done
    \builtin cd -- "${question[0]}" 2>/dev/null
    __tk_answer "${question[@]:1}" 2>/dev/null </dev/null
    \builtin printf '\0'
done
