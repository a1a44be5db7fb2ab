from tmux_kernel.kernel.app import main

main()
