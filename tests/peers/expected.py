# The check of scripted sessions: fails if a value is not the expected one.


def expect(said: object, due: object) -> None:
    if said != due:
        raise AssertionError(f"got {said}, expected {due}")
