# Ace of Spades in any of its dialects: players and a server of our own, by its documents and what real programs were seen to do.
# Law: nothing here looks at an adapter; the ENet below is Debian's library.
from __future__ import annotations

from aos_field import Field
from aos_man import GAME, Client
from aos_speech import VERSIONS, url
from player import Driver

driver = Driver(GAME, Client, lambda stage, dialect: Field(stage.dice, dialect), url, VERSIONS)
