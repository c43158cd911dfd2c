"""Models from descriptors are those of CREATE MODEL."""

from __future__ import annotations

from typing import Any

import pytest

from compiled_plan.environment import TableEnvironment
from compiled_plan.planner.table.declared_schemas import Schema
from compiled_plan.planner.table.model_descriptors import ModelDescriptor
from compiled_plan.plans.errors import ProgramError

TEXT = Schema.new_builder().column("it's", "STRING").build()
LABEL = Schema.new_builder().column("label", "INT").build()
MODEL = (
    ModelDescriptor.for_provider("openai")
    .input_schema(TEXT)
    .output_schema(LABEL)
    .option("task", "it's")
    .comment("it's")
    .build()
)


def definition(env: TableEnvironment, name: str) -> str:
    return str(next(iter(env.execute_sql(f"SHOW CREATE MODEL {name}").collect()))[0])


def test_a_descriptor_declares_the_model_of_its_statement() -> None:
    env, sql = TableEnvironment(), TableEnvironment()
    env.create_model("`my model`", MODEL)
    sql.execute_sql(
        "CREATE MODEL `my model` INPUT (`it's` STRING) OUTPUT (label INT) COMMENT 'it''s' "
        "WITH ('provider' = 'openai', 'task' = 'it''s')"
    )
    assert definition(env, "`my model`") == definition(sql, "`my model`")
    assert env.list_temporary_models() == []
    env.create_model("`my model`", MODEL, ignore_if_exists=True)
    with pytest.raises(ProgramError, match="already exists"):
        env.create_model("`my model`", MODEL)
    assert env.drop_model("`my model`")


def test_a_temporary_model() -> None:
    env = TableEnvironment()
    env.create_temporary_model("bare", ModelDescriptor.for_provider("x").build())
    assert (env.list_models(), env.list_temporary_models()) == (["bare"], ["bare"])
    assert definition(env, "bare").startswith("CREATE TEMPORARY MODEL")
    assert (env.drop_temporary_model("bare"), env.list_models()) == (True, [])


@pytest.mark.parametrize(
    ("path", "descriptor", "message"),
    [
        ("m", ModelDescriptor.for_provider("x"), "takes a ModelDescriptor, not ModelDescriptorBuilder"),
        ("a.b.c.d", MODEL, "is no name of a model"),
        ("nowhere.m", MODEL, "there is no database 'nowhere'"),
        ("m", ModelDescriptor.for_provider("x").input_schema(TEXT).build(), "has OUTPUT columns"),
    ],
)
def test_wrong_models_are_refused(path: str, descriptor: Any, message: str) -> None:
    with pytest.raises(ProgramError, match=message):
        TableEnvironment().create_model(path, descriptor)
