"""A class as the crowd, and then as the attacker: a wall, a code, and phones without names.

    coin, statistics              what a phone draws and what its answers say, by the library's own mechanisms
    crowd, sketch, vote, attack   a kind of round each, of one anatomy; no sockets
    room, seats, films            who is here and what is played
    sentences, limits             what may be said, and how often
    group, lines, pages, mount    one class on the network, in the served book
    qr, questions                 what the wall shows besides

Nothing is written to a disk, and no name is asked. What is known of a seat is a random token, and what it has sent.
"""
