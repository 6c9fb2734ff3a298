# What a scripted session says of itself if it does not go as written.


def expect(said: object, due: object) -> None:
    if said != due:
        raise AssertionError(f"{said} where {due} was due")
