"""Living pictures: pages of the book in which something moves, complete without a script and on paper.

A picture is one module of this folder with two functions:

    picture(**settings: str) -> dict[str, Any]     all its numbers and sentences, as JSON; kept by the book's build
    html(told) -> str                              the whole picture as it stands, with these numbers beside its script

and `SCRIPTS`, the scripts of `book/_static/living` that move it. A chapter asks for it in one line,

    ```{living} notebook channel=sp
    ```

Each sentence is written once, here, with its numbers left open (`kit.fill`); the page fills the same words.
"""
