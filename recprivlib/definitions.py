"""What a program is made of, definition by definition: its functions, classes and names, and those that they use.

`closure` counts files; here a file counts by those of its top-level statements that a program reaches. Read off the
text, nothing is run. It errs on the side of more: a name in reach counts wherever it stands, a module that is handed on
counts whole, and a program that may run anything (`exec`, `importlib`, a subprocess) has no closure (None).

What it trusts: a top-level assignment, `def` or class changes nothing but the names that it gives (any other statement
counts as soon as its module is imported), and names of systems and tables are written out as they are asked for. A test
holds both against what the kernels of all chapters really open and call.
"""

from __future__ import annotations

import ast
import hashlib
import symtable
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

from recprivlib.closure import LAZY, PACKAGE, imports

ROOT = PACKAGE.name
# Who imports or reads what it finds by listing: who reaches a part of one is made of all files that these patterns
# match. The registry and the tables are asked by name, and count by the names that stand in the text.
LISTED = {
    "dashboard/catalogue.py": ("papers/*/screen/dashboard.py", "primers/*/dashboard.py"),
    "bench/__init__.py": ("bench/*.py", "papers/*/bench.py", "primers/*/bench.py"),
    "auditing/mutation/scoring.py": ("auditing/mutation/score.csv",),
    "living/climbs.py": ("living/climbs.csv",),
    "living/kit.py": ("living/*.py",),
    "cli/__init__.py": ("cli/*.py",),
    "data/sources.py": ("data/*",),
}
REGISTRY, RESULTS = "registry.py", "tables.py"
TABLES = ("papers/*/results/*.*", "primers/*/results/*.*")
ITSELF = ("__init__.py", "closure.py", "definitions.py", "executors.py")  # import what is named in them, or read this
ANYTHING = {"exec", "eval", "__import__", "globals", "subprocess", "importlib", "multiprocessing", "runpy", "os.system",
            "widgets", "tools", "tests"}  # fmt: skip
PURE = {"dataclass", "cache", "lru_cache", "runtime_checkable", "contextmanager", "functools.cache", "total_ordering",
        "functools.lru_cache", "contextlib.contextmanager", "overload"}  # fmt: skip


class Anything(Exception):
    """This may run whatever there is."""


@dataclass(frozen=True)
class Part:
    """One top-level statement, by its place; `name` is "" for what runs as soon as its module is imported.

    An entry of a dict that is written out is a part too: `SYSTEMS[ease]`.
    """

    file: Path
    name: str
    first: int
    last: int


@dataclass(frozen=True)
class Uses:
    """What a statement speaks of: dotted names, modules that it imports, literals."""

    chains: frozenset[tuple[str, ...]]
    imported: tuple[str, ...]
    literals: frozenset[str]


# ------------------------------------------------------------------------------------------------ a module


class Module:
    """A file as parts: by name, and those that always run."""

    def __init__(self, file: Path):
        text = file.read_text(encoding="utf-8")
        self.file, self.lines = file, text.splitlines()
        self.tree = _without_docstrings(ast.parse(text))
        self._symbols = symtable.symtable(text, str(file), "exec")
        self.parts: dict[str, list[Part]] = {}
        self.always: list[Part] = []
        self._nodes: dict[Part, ast.AST] = {}
        self._known: dict[Part, Uses] = {}
        for node in self.tree.body:
            self._sort(node)
        self.bound = bound(self.tree)
        self.loads = tuple(imports(self.tree, at_import=True))

    def _sort(self, node: ast.stmt) -> None:
        if isinstance(node, ast.Import | ast.ImportFrom | ast.Pass) or _docstring(node) or _typing_only(node):
            return
        names = _given(node)
        for name in names or ("",):
            part = Part(self.file, name, _first(node), node.end_lineno or node.lineno)
            self._nodes[part] = node
            (self.parts.setdefault(name, []) if name else self.always).append(part)
        for name, entries in ((name, getattr(node, "value", None)) for name in names[:1]):
            if isinstance(entries, ast.Dict) and all(isinstance(key, ast.Constant) for key in entries.keys):
                for key, value in zip(entries.keys, entries.values, strict=True):
                    assert isinstance(key, ast.Constant)
                    part = Part(self.file, f"{name}[{key.value!s}]", key.lineno, value.end_lineno or key.lineno)
                    self._nodes[part] = value
                    self.parts[part.name] = [part]

    def given(self, chain: Sequence[str]) -> list[Part]:
        """The parts that the beginning of a chain names: an entry where it asks for one, else all of the name."""
        entry = self.parts.get("".join(chain[:2])) if chain[1:] and chain[1][0] == "[" else None
        return entry or self.parts.get(chain[0], [])

    def uses(self, part: Part) -> Uses:
        """What one of its parts speaks of."""
        if part not in self._known:
            self._known[part] = _uses(self._nodes[part], self._symbols)
        return self._known[part]

    def said(self, part: Part, to_the_letter: bool) -> str:
        """What a part says: to the letter, or without comments, docstrings and the way it is laid out."""
        if to_the_letter:
            return "\n".join(self.lines[part.first - 1 : part.last])
        return ast.dump(self._nodes[part])

    def is_class(self, part: Part) -> bool:
        """Whether a part is a class."""
        return isinstance(self._nodes[part], ast.ClassDef)

    @cached_property
    def entries(self) -> dict[str, Part]:
        """The systems that stand in it, by name."""
        return {name[8:-1]: found[0] for name, found in self.parts.items() if name.startswith("SYSTEMS[")}


@cache
def module(file: Path) -> Module:
    """A file, read once a process."""
    return Module(file)


def bound(tree: ast.AST) -> dict[str, set[str]]:
    """The names that imports give, wherever they stand, and what each may be: "module:name", or "module:" itself."""
    found: dict[str, set[str]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for one in node.names:
                first = one.name.partition(".")[0]
                found.setdefault(one.asname or first, set()).add(f"{one.name if one.asname else first}:")
        elif isinstance(node, ast.ImportFrom):
            for one in node.names:
                found.setdefault(one.asname or one.name, set()).add(f"{node.module}:{one.name}")
    return found


def _without_docstrings(tree: ast.Module) -> ast.Module:
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list) and body and _docstring(body[0]):
            body[0] = ast.copy_location(ast.Pass(), body[0])
    return tree


def _given(node: ast.stmt) -> tuple[str, ...]:
    """The names that a statement gives and does nothing else; none: it counts as soon as its module is imported."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        plain = all(ast.unparse(_called(one)) in PURE for one in node.decorator_list)
        return (node.name,) if plain else ()
    if isinstance(node, ast.AnnAssign):
        return (node.target.id,) if isinstance(node.target, ast.Name) else ()
    if isinstance(node, ast.Assign):
        targets = [one for target in node.targets for one in getattr(target, "elts", [target])]
        if all(isinstance(target, ast.Name) for target in targets):
            return tuple(target.id for target in targets if isinstance(target, ast.Name))
    return ()


def _called(node: ast.expr) -> ast.expr:
    return node.func if isinstance(node, ast.Call) else node


def _docstring(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _typing_only(node: ast.stmt) -> bool:
    main = "__name__ == '__main__'"
    return isinstance(node, ast.If) and (
        ast.unparse(node.test).endswith("TYPE_CHECKING") or ast.unparse(node.test) == main
    )


def _first(node: ast.stmt) -> int:
    return min([node.lineno, *(one.lineno for one in getattr(node, "decorator_list", []))])


# ------------------------------------------------------------------------------------------------ a statement


def _uses(node: ast.AST, symbols: symtable.SymbolTable | None = None) -> Uses:
    """What a statement speaks of; of names that a function keeps to itself nothing."""
    known = _free(node, symbols) if symbols else None
    silent = {id(one) for hint in _hints(node) for one in ast.walk(hint)}
    inner = {
        id(one.value)
        for one in ast.walk(node)
        if isinstance(one, ast.Attribute) or (isinstance(one, ast.Subscript) and _key(one))
    }
    called = {id(one.func) for one in ast.walk(node) if isinstance(one, ast.Call)}
    chains, literals = set(), set()
    for one in ast.walk(node):
        if isinstance(one, ast.Constant) and isinstance(one.value, str):
            literals.add(one.value)
        if isinstance(one, ast.Name | ast.Attribute | ast.Subscript) and id(one) not in inner | silent:
            chain = _chain(one)
            if chain and (known is None or chain[0] in known):
                chains.add((*chain, "()") if id(one) in called else chain)
    within = node if isinstance(node, ast.Module) else ast.Interactive([node]) if isinstance(node, ast.stmt) else node
    return Uses(frozenset(chains), tuple(imports(within)), frozenset(literals))


def _chain(node: ast.expr) -> tuple[str, ...]:
    """`a.b["c"]` as a, b, [c]; none where it does not begin with a name."""
    if isinstance(node, ast.Subscript) and (key := _key(node)):
        before = _chain(node.value)
        return (*before, key) if before else ()
    if isinstance(node, ast.Attribute):
        before = _chain(node.value)
        return (*before, node.attr) if before else ()
    return (node.id,) if isinstance(node, ast.Name) else ()


def _key(node: ast.AST) -> str:
    """ "[c]" of `a["c"]`, "" of anything else."""
    found = node.slice.value if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant) else None
    return f"[{found}]" if isinstance(found, str) else ""


def _free(node: ast.AST, symbols: symtable.SymbolTable) -> set[str] | None:
    """The global names of a function or a class; None: no name of it is its own."""
    if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return None
    found = {one.id for part in _outside(node) for one in ast.walk(part) if isinstance(one, ast.Name)}
    found |= bound(node).keys()  # what it imports for itself is no name of its own
    waiting = [table for table in symbols.get_children() if table.get_name() == node.name]
    while waiting:
        table = waiting.pop()
        waiting += table.get_children()
        of_class = table.get_type() == "class"
        found |= {
            one.get_name() for one in table.get_symbols() if one.is_global() or (of_class and one.is_referenced())
        }
    return found


def _outside(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> Iterator[ast.AST]:
    """The parts of a definition that are worked out where it stands; of a class, the types of its fields too."""
    yield from node.decorator_list
    if isinstance(node, ast.ClassDef):
        yield from (*node.bases, *node.keywords)
        yield from (one.annotation for one in node.body if isinstance(one, ast.AnnAssign))
    else:
        yield from (default for default in (*node.args.defaults, *node.args.kw_defaults) if default)


def _hints(node: ast.AST) -> Iterator[ast.AST]:
    """The types that functions state, which nobody works out (`from __future__ import annotations`)."""
    for one in ast.walk(node):
        if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef):
            every = [*one.args.posonlyargs, *one.args.args, *one.args.kwonlyargs, one.args.vararg, one.args.kwarg]
            yield from (arg.annotation for arg in every if arg and arg.annotation)
            yield from filter(None, [one.returns])
            yield from (inner.annotation for inner in ast.walk(one) if isinstance(inner, ast.AnnAssign))


# ------------------------------------------------------------------------------------------------ the closure


class Reach:
    """All that a program, or definitions of the package, reach."""

    def __init__(self) -> None:
        self.parts: set[Part] = set()
        self.loaded: set[Path] = set()
        self.files: set[Path] = set()  # read or counted whole
        self.literals: set[str] = set()
        self.shown: set[Part] = set()  # what a program names itself: it may print the very text
        self._whole: set[Path] = set()
        self._touched: set[str] = set()  # modules of which a definition is reached
        self._waiting: list[Part] = []

    def program(self, source: str) -> None:
        """Take in a program that imports the package."""
        tree = ast.parse(source)
        self._take(_uses(tree), bound(tree))
        named, printed = set(self._waiting), _printed(tree)
        self._settle()
        if any(part.file.name == "source.py" for part in self.parts if part.name):
            own = Reach()
            own._take(printed or _uses(tree), bound(tree))
            self.shown = named & own.parts

    def name(self, dotted: str) -> None:
        """Take in a definition of the package, "module:name", or a whole module, "module:"."""
        self._resolve(dotted)
        self._settle()

    def _settle(self) -> None:
        grown = True
        while grown:
            while self._waiting:
                part = self._waiting.pop()
                source = module(part.file)
                self._take(source.uses(part), source.bound, source)
            grown = self._listed()

    def _take(self, uses: Uses, names: dict[str, set[str]], source: Module | None = None) -> None:
        self.literals |= uses.literals
        for imported in uses.imported:
            _harmless(imported.partition(".")[0], source)
            self._load(imported)
        for chain in uses.chains:
            own = source.given(chain) if source else []
            for part in own:
                self._reach(part)
            for target in names.get(chain[0], ()):
                self._resolve(target, chain[1:])
            if not own and chain[0] not in names:
                _harmless(chain[0], source)
            _harmless(".".join(chain[:2]), source)

    def _reach(self, part: Part) -> None:
        if part not in self.parts:
            self.parts.add(part)
            self._waiting.append(part)
            self._load_file(part.file)
            if part.name:
                self._touched.add(part.file.relative_to(PACKAGE).as_posix())

    def _resolve(self, target: str, more: Iterable[str] = ()) -> None:
        """Reach what `target.more` is: the first definition on the way, or the whole of a module that is handed on."""
        name, _, first = target.partition(":")
        if name.partition(".")[0] != ROOT:
            return
        self._load(name)
        file, rest = _file(name), [*filter(None, [first]), *more]
        while rest and file.name == "__init__.py" and file != LAZY:
            inside = _file(f"{name}.{rest[0]}")
            if inside == file or rest[0] in module(file).parts or rest[0] in module(file).bound:
                break
            name, file, rest = f"{name}.{rest[0]}", inside, rest[1:]
            self._load_file(file)
        if not rest or rest[0] == "()":
            self._take_whole(file)
        elif file == LAZY:
            self._lazily(rest[0], rest[1:])
        else:
            self._within(module(file), rest)

    def _within(self, source: Module, chain: list[str]) -> None:
        """Reach what the first word of `chain` is in a module; a word that it does not give may be anything of it."""
        word = chain[0]
        for part in source.given(chain):
            self._reach(part)
        if word in source.parts:
            return
        for target in source.bound.get(word, ()):
            self._resolve(target, chain[1:])
        if word not in source.bound and not word.startswith("__"):
            self._take_whole(source.file)

    def _lazily(self, name: str, rest: list[str]) -> None:
        """A public name of the package, which it imports when it is asked for, or a module of it."""
        home = _public()
        if name in home:
            self._resolve(f"{ROOT}.{home[name]}:{name}", rest)
        elif _file(f"{ROOT}.{name}") != LAZY:
            self._resolve(f"{ROOT}.{name}:", rest)
        elif not name.startswith("__"):
            raise Anything

    def _take_whole(self, file: Path) -> None:
        if file == LAZY:
            raise Anything  # the package itself is handed on: anybody may ask it for anything
        if file in self._whole:
            return
        self._whole.add(file)
        self.files.add(file)
        self._load_file(file)
        for parts in module(file).parts.values():
            for part in parts:
                self._reach(part)

    def _load(self, dotted: str) -> None:
        """An import of this runs its module, and the packages on the way to it."""
        if dotted.partition(".")[0] == ROOT:
            self._load_file(_file(dotted))

    def _load_file(self, file: Path) -> None:
        if file in self.loaded:
            return
        self.loaded.add(file)
        if file == LAZY:
            self.files.add(file)
            return
        for package in file.relative_to(PACKAGE).parents:
            if (init := PACKAGE / package / "__init__.py").is_file():
                self._load_file(init)
        for part in module(file).always:
            self._reach(part)
        for imported in module(file).loads:
            self._load(imported)

    # ---------------------------------------------------------------------------------- found by listing

    def _listed(self) -> bool:
        """Take in what the modules in reach find by listing; whether there was anything new."""
        before = len(self.parts), len(self.files), len(self.loaded)
        for name in LISTED.keys() & self._touched:
            for file in sorted(found for pattern in LISTED[name] for found in PACKAGE.glob(pattern) if found.is_file()):
                if file.suffix == ".py":
                    self._take_whole(file)
                self.files.add(file)
        if REGISTRY in self._touched:
            self._named(self._reaches(REGISTRY, "systems"), self._reaches(REGISTRY, "name_of"))
        if RESULTS in self._touched:
            every = self._reaches(RESULTS, "grids")
            self.files |= {file for name, found in tables().items() if every or name in self.literals for file in found}
        return before != (len(self.parts), len(self.files), len(self.loaded)) or bool(self._waiting)

    def _reaches(self, file: str, name: str) -> bool:
        return any(part in self.parts for part in module(PACKAGE / file).parts.get(name, ()))

    def _named(self, every: bool, kin: bool) -> None:
        """Systems whose names stand in the text; `kin`: and those that are of a class in reach."""
        for source in holders():
            if every:
                self._take_whole(source.file)
            for name, part in source.entries.items():
                if name in self.literals or (kin and classes(part) & self.parts):
                    self._reach(part)


@cache
def classes(entry: Part) -> frozenset[Part]:
    """The classes that an entry of `SYSTEMS` speaks of."""
    source, found = module(entry.file), Reach()
    for chain in source.uses(entry).chains:
        found.parts |= set(source.given(chain))
        for target in source.bound.get(chain[0], ()):
            found._resolve(target, chain[1:])
    known = (part for part in found.parts if part.name and module(part.file).is_class(part))
    return frozenset(part for part in known if part.file.name != "protocols.py")


def _printed(tree: ast.Module) -> Uses | None:
    """What a program has printed as code, `source(thing)`; None where it does more with `source` than to call it."""
    calls = [one for one in ast.walk(tree) if isinstance(one, ast.Call) and getattr(one.func, "id", "") == "source"]
    words = [one for one in ast.walk(tree) if isinstance(one, ast.Name) and one.id == "source"]
    if not calls or len(calls) != len(words):
        return None
    return _uses(ast.Module([ast.Expr(argument) for call in calls for argument in call.args], []))


def _harmless(word: str, source: Module | None) -> None:
    name = source.file.relative_to(PACKAGE).as_posix() if source else ""
    if word in ANYTHING and name not in (REGISTRY, *LISTED, *ITSELF):
        raise Anything


@cache
def _file(dotted: str) -> Path:
    """The file of the longest beginning of a dotted name that is a module."""
    place, file = PACKAGE, LAZY
    for word in dotted.split(".")[1:]:
        place = place / word
        if place.with_suffix(".py").is_file():
            return place.with_suffix(".py")
        if not (place / "__init__.py").is_file():
            break
        file = place / "__init__.py"
    return file


@cache
def _public() -> dict[str, str]:
    """Public name -> its module; off the text, so that nothing is imported."""
    for node in ast.parse(LAZY.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "_HOME":
            held: dict[str, str] = ast.literal_eval(node.value)
            return held
    raise Anything


@cache
def holders() -> tuple[Module, ...]:
    """The modules in which systems stand."""
    files = (file for place in ("yardsticks", "papers") for file in sorted((PACKAGE / place).rglob("*.py")))
    return tuple(source for source in map(module, files) if source.entries)


@cache
def tables() -> dict[str, list[Path]]:
    """The committed tables: name -> its files."""
    found: dict[str, list[Path]] = {}
    for pattern in TABLES:
        for file in sorted(PACKAGE.glob(pattern)):
            found.setdefault(file.name.partition(".")[0], []).append(file)
    return found


# ------------------------------------------------------------------------------------------------ names for it


def reach(source: str = "", names: Iterable[str] = ()) -> Reach | None:
    """What a program and these definitions reach; None: it may be anything."""
    found = Reach()
    try:
        found.program(source)
        for name in names:
            found.name(name)
    except Anything:
        return None
    return found


def files(found: Reach) -> set[Path]:
    """The files behind it: run, or read."""
    return found.files | found.loaded


def fingerprint(found: Reach) -> str:
    """SHA-256 of all that is in reach, with its names."""
    total = hashlib.sha256()
    for part in sorted(found.parts, key=lambda part: (part.file.as_posix(), part.name, part.first)):
        if part.file not in found.files:
            said = module(part.file).said(part, part in found.shown)
            total.update(f"{part.file.relative_to(PACKAGE).as_posix()}:{part.name}\0{said}\0".encode())
    for file in sorted(found.files):
        total.update(f"{file.relative_to(PACKAGE.parent).as_posix()}\0".encode() + file.read_bytes())
    return total.hexdigest()
