# The error of a scripted session that does not go as written.


def expect(said: object, due: object) -> None:
    if said != due:
        raise AssertionError(f"{said} where {due} was due")
