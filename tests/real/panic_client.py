# Starts the released Panic client: panic_client.py FOLDER HOST PORT. Its own start-up knows one port and expects its
# author's SFML binding; Debian's has the same classes in submodules, and calls Rect Rectangle.
import os
import sys

import sfml
import sfml.graphics
import sfml.system
import sfml.window

for part in (sfml.system, sfml.window, sfml.graphics):
    for name in dir(part):
        if not name.startswith("_"):
            setattr(sfml, name, getattr(part, name))
sfml.Rect = sfml.graphics.Rectangle

folder, host, port = sys.argv[1:]
os.chdir(folder)
sys.path.insert(0, os.path.join(folder, "client"))
import game  # noqa: E402  the client's own

game.sys = sys
game.Game((host, int(port))).run()
