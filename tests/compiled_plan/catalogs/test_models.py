"""Models of a catalog as objects: the same models as those of CREATE MODEL and `TableEnvironment.create_model`."""

from __future__ import annotations

import pytest

from compiled_plan.catalogs.catalog import Catalog
from compiled_plan.catalogs.models import CatalogModel
from compiled_plan.environment import TableEnvironment
from compiled_plan.planner.table.declared_schemas import Schema
from compiled_plan.plans.errors import ProgramError
from compiled_plan.results.identifiers import ObjectPath

M, N = ObjectPath("default_database", "m"), ObjectPath("default_database", "n")
NOWHERE = ObjectPath("nowhere", "m")
LABEL = Schema.new_builder().column("label", "STRING").build()
MODEL = CatalogModel.create_model(
    Schema.new_builder().column("text", "STRING NOT NULL", "read").build(), LABEL, {"provider": "x"}, "labels"
)


@pytest.fixture(name="env")
def _env() -> TableEnvironment:
    return TableEnvironment()


@pytest.fixture(name="catalog")
def _catalog(env: TableEnvironment) -> Catalog:
    catalog = env.get_catalog("default_catalog")
    assert catalog is not None
    return catalog


def definition(env: TableEnvironment, name: str) -> str:
    return str(next(iter(env.execute_sql(f"SHOW CREATE MODEL {name}").collect()))[0])


def test_create_and_get_a_model(env: TableEnvironment, catalog: Catalog) -> None:
    catalog.create_model(M, MODEL, False)
    catalog.create_model(M, MODEL, True)
    model = catalog.get_model(M).copy()
    assert (model.get_options(), model.get_comment()) == ({"provider": "x"}, "labels")
    assert definition(env, "m") == (
        "CREATE MODEL `default_catalog`.`default_database`.`m`\n"
        "INPUT (`text` VARCHAR(2147483647) NOT NULL COMMENT 'read')\nOUTPUT (`label` VARCHAR(2147483647))\n"
        "COMMENT 'labels'\nWITH (\n  'provider' = 'x'\n)\n"
    )
    catalog.create_model(N, model, False)
    assert definition(env, "n") == definition(env, "m").replace("`m`", "`n`")
    with pytest.raises(ProgramError, match="already exists"):
        catalog.create_model(M, MODEL, False)


def test_alter_rename_and_drop_a_model(env: TableEnvironment, catalog: Catalog) -> None:
    env.execute_sql("CREATE MODEL m WITH ('provider' = 'y')")
    catalog.alter_model(M, MODEL, False)
    with pytest.raises(ProgramError, match="a model with OUTPUT columns has INPUT columns"):
        catalog.alter_model(M, CatalogModel.create_model(Schema(), LABEL, {"provider": "z"}), False)
    assert catalog.get_model(M).get_options() == {"provider": "x"}
    catalog.rename_model(M, "n", False)
    assert (catalog.list_models("default_database"), env.list_models()) == (["n"], ["n"])
    catalog.drop_model(N, False)
    catalog.drop_model(N, True)
    catalog.alter_model(N, MODEL, True)
    catalog.rename_model(N, "m", True)
    assert not catalog.model_exists(N)
    for change in (
        lambda: catalog.drop_model(N, False),
        lambda: catalog.alter_model(N, MODEL, False),
        lambda: catalog.rename_model(N, "m", False),
        lambda: catalog.get_model(N),
    ):
        with pytest.raises(ProgramError, match=r"there is no model `default_catalog`.`default_database`.`n`"):
            change()


def test_a_catalog_has_no_temporary_models(env: TableEnvironment, catalog: Catalog) -> None:
    env.execute_sql("CREATE MODEL m WITH ('provider' = 'y'); CREATE TEMPORARY MODEL m WITH ('provider' = 'z')")
    env.execute_sql("CREATE TEMPORARY MODEL n WITH ('provider' = 'z')")
    assert (catalog.list_models("default_database"), env.list_models()) == (["m"], ["m", "n"])
    assert catalog.get_model(M).get_options() == {"provider": "y"}
    assert (catalog.model_exists(M), catalog.model_exists(N), catalog.model_exists(NOWHERE)) == (True, False, False)


def test_a_model_needs_its_database(catalog: Catalog) -> None:
    with pytest.raises(ProgramError, match="there is no database 'nowhere'"):
        catalog.create_model(NOWHERE, MODEL, True)
    with pytest.raises(ProgramError, match="nowhere"):
        catalog.list_models("nowhere")
