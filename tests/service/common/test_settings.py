from __future__ import annotations

from pathlib import Path

import pytest

from compiled_plan.plans.errors import ProgramError
from compiled_plan.service.common.settings import Settings, is_loopback, read_settings


def test_options_override_the_settings_file(tmp_path: Path) -> None:
    file = tmp_path / "service.toml"
    file.write_text('port = 9000\nhost = "0.0.0.0"\nprograms = ["/programs"]\n[limits]\ncompile_seconds = 5\n')
    actual = read_settings(str(file), {"port": 9001})
    assert (actual.port, actual.host, actual.programs) == (9001, "0.0.0.0", (Path("/programs"),))
    assert actual.limits.compile_seconds == 5
    assert not actual.is_local


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("prot = 9000", "prot: Extra inputs are not permitted"),
        ("port = 99999", "port: "),
        ("port = ", "not valid TOML"),
        ("[limits]\nrequest_bytes = 0", "limits.request_bytes: "),
    ],
)
def test_errors_in_a_settings_file_are_named(text: str, message: str, tmp_path: Path) -> None:
    file = tmp_path / "service.toml"
    file.write_text(text)
    with pytest.raises(ProgramError, match=message) as error:
        read_settings(str(file), {})
    assert error.value.where == repr(str(file))


def test_a_missing_settings_file_is_named() -> None:
    with pytest.raises(ProgramError, match="no such settings file"):
        read_settings("missing.toml", {})


@pytest.mark.parametrize(
    ("host", "own"),
    [
        ("127.0.0.1", True),
        ("127.9.0.1", True),
        ("::1", True),
        ("[::1]", True),
        ("localhost", True),
        ("0.0.0.0", False),
        ("10.0.0.1", False),
        ("localhost.example.com", False),
    ],
)
def test_local_addresses(host: str, own: bool) -> None:
    assert is_loopback(host) is own
    assert Settings(host=host).is_local is own
