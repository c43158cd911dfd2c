"""Hash functions of text and bytes.

Source: Flink docs, "System (Built-in) Functions", hash functions; digests are hex text of fixed length.
"""

from __future__ import annotations

from compiled_plan.planner.functions.signatures import ANY, TEXT_OR_BYTES, WHOLE, Function, fixed, form
from compiled_plan.plans.types import INT, CharType, VarCharType

_HEX_DIGITS = {"MD5": 32, "SHA1": 40, "SHA224": 56, "SHA256": 64, "SHA384": 96, "SHA512": 128}

FUNCTIONS: tuple[Function, ...] = (
    *(
        Function(name, (form(TEXT_OR_BYTES),), fixed(CharType(length=digits))).api(
            f"x.{name.lower()}", f"{name} in hexadecimal digits."
        )
        for name, digits in _HEX_DIGITS.items()
    ),
    Function("SHA2", (form(TEXT_OR_BYTES, WHOLE),), fixed(VarCharType(length=128))).api(
        "x.sha2(hash_length)", "SHA2 of 224, 256, 384 or 512 bits."
    ),
    Function("HASH_CODE", (form(ANY),), fixed(INT)),
)
