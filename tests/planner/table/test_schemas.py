"""Columns and constraints of schemas: their declarations, with quotes in names."""

from __future__ import annotations

from compiled_plan import ResolvedSchema, Schema
from compiled_plan.planner.table.columns import MetadataColumn, SchemaColumn, WatermarkSpec
from compiled_plan.planner.table.constraints import UniqueConstraint


def test_quotes_in_names_are_doubled() -> None:
    assert str(SchemaColumn.physical("a`b", "INT").with_comment("it's")) == "`a``b` INT COMMENT 'it''s'"
    assert str(WatermarkSpec.of("t`s", "now")) == "WATERMARK FOR `t``s` AS now"
    assert str(UniqueConstraint.primary_key("p`k", ["a`b"])) == "CONSTRAINT `p``k` PRIMARY KEY (`a``b`) NOT ENFORCED"


def test_a_metadata_column_has_its_key() -> None:
    columns = [
        SchemaColumn.metadata("m", "STRING", key, is_virtual) for key in (None, "it's") for is_virtual in (False, True)
    ]
    assert all(isinstance(column, MetadataColumn) for column in columns)
    assert [(column.get_metadata_key(), column.is_virtual(), column.is_persisted()) for column in columns] == [
        (None, False, True),
        (None, True, False),
        ("it's", False, True),
        ("it's", True, False),
    ]
    schema = Schema.new_builder().from_resolved_schema(ResolvedSchema.of(columns[-1:])).build()
    assert schema.clauses == ("`m` VARCHAR(2147483647) METADATA FROM 'it''s' VIRTUAL",)
    by_name = Schema.new_builder().column_by_metadata("m", "STRING", "it's", is_virtual=True).build()
    assert by_name.clauses == ("`m` VARCHAR(2147483647) METADATA FROM 'it''s' VIRTUAL",)


def test_a_schema_knows_the_columns_that_it_declares() -> None:
    schema = (
        Schema.new_builder()
        .column("a`b", "INT")
        .column_by_expression("c", "`a``b` + 1")
        .watermark("ts", "ts")
        .primary_key("a`b")
        .build()
    )
    assert schema.columns == ("a`b", "c")
    assert schema.without_physical().columns == ("c",)
    assert schema.without_physical().clauses == (
        "`c` AS `a``b` + 1",
        "WATERMARK FOR `ts` AS ts",
        "PRIMARY KEY (`a``b`) NOT ENFORCED",
    )


def test_a_schema_without_a_key_leaves_the_key_of_the_builder() -> None:
    plain, keyed = Schema.new_builder().column("a", "INT"), Schema.new_builder().column("b", "INT").primary_key("b")
    assert keyed.from_schema(plain.build()).build().key == ("b",)
    assert plain.from_schema(keyed.build()).build().key == ("b",)
