"""Options of formats with a schema registry: refusals, client settings, hidden secrets."""

from __future__ import annotations

import pytest

from compiled_plan.plans.connectors.checks import table_faults
from compiled_plan.plans.connectors.schema_registry import settings
from compiled_plan.plans.inspection.lineage.table_identity import options_of
from compiled_plan.plans.nodes.tables import CatalogTable
from compiled_plan.plans.text.masking import HIDDEN, masked
from compiled_plan.plans.types import INT, row_of

URL = "http://r:8081"
TABLE = {"connector": "kafka", "topic": "t", "properties.bootstrap.servers": "b:1", "format": "avro-confluent"}


def faults(options: dict[str, str], *, reading: bool = False, table: dict[str, str] = TABLE) -> list[str]:
    all_options = {**table, **{f"avro-confluent.{key}": value for key, value in options.items()}}
    return [
        f"{fault.message}: {fault.remedy}"
        for fault in table_faults("t", all_options, row_of(["a"], [INT]), reading=reading)
    ]


def test_a_table_needs_a_url_and_its_sink_one_topic_or_a_subject() -> None:
    assert faults({"url": URL}) == faults({"schema-registry.url": URL}) == []
    assert "lacks the option 'avro-confluent.url', which format 'avro-confluent' requires" in faults({})[0]
    several = {**TABLE, "topic": "a;b"}
    assert faults({"url": URL}, table=several, reading=True) == []
    assert faults({"url": URL}, table=several)[0].endswith("set 'avro-confluent.subject'")
    assert faults({"url": URL, "subject": "s"}, table=several) == []


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"properties.auto.offset": "x"}, "the setting 'auto.offset' of a schema registry's client is not supported"),
        ({"basic-auth.credentials-source": "SASL_INHERIT"}, "'SASL_INHERIT' as the source of credentials"),
        ({"bearer-auth.credentials-source": "OAUTHBEARER"}, "set one of: STATIC_TOKEN"),
        ({"basic-auth.credentials-source": "USER_INFO"}, "basic-auth.user-info is not given"),
        (
            {
                "basic-auth.credentials-source": "URL",
                "bearer-auth.credentials-source": "STATIC_TOKEN",
                "bearer-auth.token": "x",
            },
            "cannot both be set",
        ),
        ({"schema": '"int"'}, "does not match the table"),
    ],
)
def test_unsupported_options_are_refused_by_name(options: dict[str, str], text: str) -> None:
    assert any(text in fault for fault in faults({"url": URL, **options}))
    assert any(text in fault for fault in faults({"url": URL, **options}, reading=True))


def test_files_cannot_use_a_registry() -> None:
    files = {"connector": "filesystem", "path": "/x", "format": "avro-confluent"}
    assert "format 'avro-confluent' is not supported by connector 'filesystem'" in faults({"url": URL}, table=files)[0]


def test_the_client_has_names_of_its_own_and_options_go_before_properties() -> None:
    options = {
        "schema-registry.url": URL,
        "ssl.truststore.location": "/a",
        "properties.schema.registry.ssl.truststore.location": "/b",
        "properties.schema.registry.basic.auth.user.info": "ann:x",
    }
    assert settings(options) == {
        "url": URL,
        "schema.registry.ssl.truststore.location": "/a",
        "basic.auth.user.info": "ann:x",
    }


def test_credentials_are_hidden_and_a_restart_compares_neither_them_nor_the_url() -> None:
    secret = {
        "avro-confluent.basic-auth.user-info": "ann:x",
        "avro-confluent.bearer-auth.token": "x",
        "avro-confluent.properties.basic.auth.user.info": "ann:x",
        "avro-confluent.ssl.keystore.password": "x",
    }
    assert set(masked(secret).values()) == {HIDDEN}
    options = {**TABLE, "avro-confluent.url": URL, **secret}
    table = CatalogTable.model_validate(
        {"identifier": "`c`.`d`.`t`", "resolvedTable": {"schema": {"columns": []}, "options": options}}
    )
    assert dict(options_of(table)) == TABLE
