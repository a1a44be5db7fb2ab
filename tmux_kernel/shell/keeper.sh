# Outlives the shell of a pane of ours by a moment. bash keeper.sh SECRET_FILE SHELL ARGUMENT…
#
# tmux closes a pane's terminal as soon as its process is gone, and with it what it has not read yet. This process is
# still there then: it says how the shell ended, after everything the shell printed, and stays until that is read.
# Its own handlers keep it alive; a child starts with the defaults again.
trap : INT QUIT TERM
secret=$(<"$1")
shift
# Its own word on a shell that was killed ("Killed") is not the shell's output.
exec 3>&2 2>/dev/null
"$@" 2>&3 3>&-
code=$?
printf '\033]133;X;%s;tk=%s:0\007' "$code" "$secret"
sleep 2
exit "$code"
