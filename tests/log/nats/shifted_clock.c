/* Runs a program whose wall clock is off by the seconds that stand in a file, and jumps when they
 * change:  shifted_clock FILE PROGRAM [ARGUMENT...]
 *
 * A program in Go is linked statically and asks the kernel's own library (vDSO) for the time, so
 * nothing can be preloaded. It is traced: the library is hidden from it, and its calls for the wall
 * clock are answered here. Linux on x86-64.
 */
#define _GNU_SOURCE
#include <elf.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const char *offset_file;

static long offset_seconds(void) {
    char text[32] = "";
    FILE *file = fopen(offset_file, "r");
    if (file) {
        if (!fgets(text, sizeof text, file)) text[0] = 0;
        fclose(file);
    }
    return atol(text);
}

static void hide_vdso(pid_t pid) {
    struct user_regs_struct regs;
    ptrace(PTRACE_GETREGS, pid, 0, &regs);
    unsigned long at = regs.rsp;
    at += 8 * (ptrace(PTRACE_PEEKDATA, pid, at, 0) + 2); /* the arguments, and a null */
    while (ptrace(PTRACE_PEEKDATA, pid, at, 0)) at += 8; /* the environment */
    for (at += 8;; at += 16) {
        long type = ptrace(PTRACE_PEEKDATA, pid, at, 0);
        if (type == AT_NULL) return;
        if (type == AT_SYSINFO_EHDR) ptrace(PTRACE_POKEDATA, pid, at, AT_IGNORE);
    }
}

static void answer(pid_t pid) {
    struct user_regs_struct regs;
    struct timespec now;
    ptrace(PTRACE_GETREGS, pid, 0, &regs);
    clock_gettime(CLOCK_REALTIME, &now);
    now.tv_sec += offset_seconds();
    struct iovec ours = {&now, sizeof now}, theirs = {(void *)regs.rsi, sizeof now};
    process_vm_writev(pid, &ours, 1, &theirs, 1, 0);
    regs.orig_rax = -1; /* not to be carried out any more */
    regs.rax = 0;
    ptrace(PTRACE_SETREGS, pid, 0, &regs);
}

static void run(char **command) {
    struct sock_filter only_wall_clock[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clock_gettime, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0])),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, CLOCK_REALTIME, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRACE),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof only_wall_clock / sizeof *only_wall_clock, only_wall_clock};
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    ptrace(PTRACE_TRACEME, 0, 0, 0);
    raise(SIGSTOP);
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
    execvp(command[0], command);
    perror(command[0]);
    _exit(127);
}

static pid_t child;

static void pass_on(int number) { kill(child, number); }

int main(int count, char **words) {
    int status;
    if (count < 3) return 2;
    offset_file = words[1];
    child = fork();
    if (child == 0) run(words + 2);
    signal(SIGTERM, pass_on);
    waitpid(child, &status, 0);
    ptrace(PTRACE_SETOPTIONS, child, 0,
           PTRACE_O_TRACESECCOMP | PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL);
    ptrace(PTRACE_CONT, child, 0, 0);
    for (;;) {
        pid_t pid = waitpid(-1, &status, __WALL);
        if (pid < 0 && errno == EINTR) continue;
        if (pid < 0) return 1;
        if (pid == child && (WIFEXITED(status) || WIFSIGNALED(status)))
            return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
        if (!WIFSTOPPED(status)) continue;
        int event = status >> 16, number = WSTOPSIG(status), given = 0;
        if (event == PTRACE_EVENT_EXEC) hide_vdso(pid);
        else if (event == PTRACE_EVENT_SECCOMP) answer(pid);
        else if (event == 0 && number != SIGSTOP && number != SIGTRAP) given = number;
        ptrace(PTRACE_CONT, pid, 0, given);
    }
}
