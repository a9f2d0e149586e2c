"""Runs a program in a terminal: waits for words on its screen, types, and goes on.

usage: terminal.py PATIENCE PROGRAM [ARGUMENT...] < steps

Each step is one line of JSON: ["words to wait for", "what to type then"].
"""
import fcntl, json, os, pty, re, select, struct, sys, termios, time

patience, command = float(sys.argv[1]), sys.argv[2:]
steps = [json.loads(line) for line in sys.stdin]
child, screen = pty.fork()
if child == 0:
    os.environ["TERM"] = "xterm-256color"
    os.execvp(command[0], command)
fcntl.ioctl(screen, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 160, 0, 0))

until, seen, whole = time.time() + patience, "", ""


def look(wait):
    """Reads what is written for a while. False when the program is gone."""
    global seen, whole
    if not select.select([screen], [], [], wait)[0]:
        return True
    try:
        text = os.read(screen, 65536).decode("utf8", "replace")
    except OSError:
        text = ""
    if not text:
        return False
    text = re.sub(r"\x1b(\[[0-9;?<>=]*[a-zA-Z]|\][^\x07\x1b]*(\x07|\x1b\\)|[()][A-Z0-9]|[=>])", "", text)
    seen, whole = seen + text, whole + text
    return True


def give_up(why):
    os.kill(child, 9)
    sys.exit(f"{why}\n{whole[-4000:]}")


def rest():
    """Waits until nothing moves any more: keys that come before that are lost."""
    quiet = time.time() + 1.5
    while time.time() < quiet:
        before = len(whole)
        if time.time() > until or not look(0.1):
            give_up("it does not come to rest")
        if len(whole) > before:
            quiet = time.time() + 1.5


for words, keys in steps:
    while words not in seen:
        if time.time() > until or not look(0.2):
            give_up(f"{words!r} does not come")
    rest()
    seen = ""
    # Keys one by one: what comes at once is taken for something that was pasted.
    for key in keys:
        if key == "\r":
            rest()
        os.write(screen, key.encode())
        look(0.05)
while look(0.2):
    if time.time() > until:
        give_up("it does not end")
os.waitpid(child, 0)
print(whole)
