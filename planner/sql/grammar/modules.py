"""Statements on modules and jars (Flink docs: LOAD, UNLOAD and USE MODULES, JAR statements)."""

from __future__ import annotations

from compiled_plan.planner.sql.grammar.catalogs import Catalogs
from compiled_plan.planner.sql.nodes.statements import (
    AddJar,
    LoadModule,
    RemoveJar,
    Statement,
    UnloadModule,
    UseModules,
)


class Modules(Catalogs):
    """Parser of statements on modules and jars."""

    def load(self, start: int) -> Statement:
        """LOAD MODULE, the first word already read."""
        self.need("MODULE")
        name = self.name("a module name").name
        options = self.properties() if self.take("WITH") else {}
        return LoadModule(name=name, options=options, **self.place(start))

    def unload(self, start: int) -> Statement:
        """UNLOAD MODULE, the first word already read."""
        self.need("MODULE")
        name = self.name("a module name").name
        return UnloadModule(name=name, **self.place(start))

    def add(self, start: int) -> Statement:
        """ADD JAR, the first word already read."""
        self.need("JAR")
        path = self.string("a path")
        return AddJar(path=path, **self.place(start))

    def remove(self, start: int) -> Statement:
        """REMOVE JAR, the first word already read."""
        self.need("JAR")
        path = self.string("a path")
        return RemoveJar(path=path, **self.place(start))

    def use_modules(self, start: int) -> Statement:
        """USE MODULES, the words already read."""
        names = tuple(self.listed(lambda: self.name("a module name").name))
        return UseModules(names=names, **self.place(start))
