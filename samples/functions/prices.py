"""User-defined functions: a scalar, a table and an aggregate function, with types from annotations and hints."""

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated, NamedTuple

from compiled_plan import AggregateFunction, DataTypeHint, ScalarFunction, TableFunction

Money = Annotated[Decimal, DataTypeHint("DECIMAL(10, 2)")]


class Discounted(ScalarFunction):
    """A price after a discount in per cent, 10 by default."""

    def eval(self, price: Money, reduction: int = 10) -> Money:
        return price * (100 - reduction) / 100


class Tag(NamedTuple):
    tag: str
    place: int


class Tags(TableFunction[Tag]):
    """The tags in a text such as `new, blue,  sale`, with their positions."""

    def eval(self, text: str) -> Iterator[Tag]:
        tags = (tag.strip() for tag in text.split(","))
        yield from (Tag(tag, place) for place, tag in enumerate(filter(None, tags), start=1))


@dataclass
class Sums:
    paid: Decimal = Decimal(0)
    pieces: int = 0


class MeanPrice(AggregateFunction[Money | None, Sums]):
    """The mean price of a piece, with retraction and merging."""

    def create_accumulator(self) -> Sums:
        return Sums()

    def accumulate(self, sums: Sums, price: Money, pieces: int) -> None:
        sums.paid += price * pieces
        sums.pieces += pieces

    def retract(self, sums: Sums, price: Money, pieces: int) -> None:
        self.accumulate(sums, price, -pieces)

    def merge(self, sums: Sums, others: list[Sums]) -> None:
        for partial in others:
            sums.paid += partial.paid
            sums.pieces += partial.pieces

    def get_value(self, sums: Sums) -> Money | None:
        return sums.paid / sums.pieces if sums.pieces else None
