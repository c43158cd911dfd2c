"""The Dockerfile, compose.yaml and the manifests of docs/kubernetes.md agree with the product."""

from __future__ import annotations

import fnmatch
import json
import re
import shlex
import tomllib
from collections.abc import Iterator
from importlib import import_module
from importlib.metadata import requires
from pathlib import Path
from typing import Any

import typer
import yaml

from compiled_plan.plans.execution.kernel import JAR_NAME
from compiled_plan.service.common.settings import Settings
from tests.docs.examples import blocks
from tools.reference.commands import COMMANDS

ROOT = Path(__file__).resolve().parents[2]
DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8")
COMPOSE = yaml.safe_load((ROOT / "compose.yaml").read_text(encoding="utf-8"))
KUBERNETES = ROOT / "docs" / "kubernetes.md"


def _instructions() -> Iterator[tuple[str, str]]:
    text = re.sub(r"^\s*#.*\n", "", DOCKERFILE, flags=re.MULTILINE).replace("\\\n", " ")
    for line in text.splitlines():
        word, _, rest = line.partition(" ")
        if word:
            yield word, rest.strip()


def _copied() -> list[str]:
    """Paths of the repository that the Dockerfile copies."""
    copies = [shlex.split(rest) for word, rest in _instructions() if word == "COPY" and not rest.startswith("--from")]
    return [path for words in copies for path in words[:-1]]


def _parsed(words: list[str]) -> Any:
    """The values of a command line of the product; raise if it is wrong."""
    command: Any = typer.main.get_command(import_module(COMMANDS[words[0]]).app)
    context = command.make_context(words[0], words[1:])
    if hasattr(command, "resolve_command"):
        name, command, rest = command.resolve_command(context, [*context._protected_args, *context.args])
        context = command.make_context(name, rest)
    return context.params


def _manifests() -> list[Any]:
    return [
        document
        for block in blocks(KUBERNETES)
        if block.language == "yaml"
        for document in yaml.safe_load_all(block.text)
    ]


def _of_kind(kind: str) -> Any:
    (manifest,) = [document for document in _manifests() if document.get("kind") == kind]
    return manifest


def test_the_image_gets_all_files_of_the_wheel() -> None:
    copied = _copied()
    assert [path for path in copied if not (ROOT / path).exists()] == []
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    wheel = project["tool"]["hatch"]["build"]["targets"]["wheel"]
    needed = {path.partition("/")[0] for path in wheel["only-include"]} | {project["project"]["readme"]}
    needed |= {path for path in project["project"]["license-files"] if "/" not in path}
    needed |= {wheel["hooks"]["custom"]["path"].partition("/")[0], "kernel", "requirements"}
    assert needed <= set(copied)
    included = {line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")}
    assert included == set(copied)


def test_the_build_backend_is_pinned() -> None:
    pattern = re.search(r"\^\(([\w|-]+)\)==", DOCKERFILE)
    assert pattern is not None
    installed, backend = set(pattern[1].split("|")), {"hatchling"}
    for _ in range(3):
        backend |= {
            re.split("[^a-z-]", need)[0] for name in backend for need in requires(name) or () if ";" not in need
        }
    assert backend == installed
    pinned = re.findall(r"^([\w.-]+)==", (ROOT / "requirements/dev.txt").read_text(), re.MULTILINE)
    assert installed <= set(pinned)


def test_the_image_is_pinned_and_not_root() -> None:
    instructions = list(_instructions())
    (base,) = [rest for word, rest in instructions if word == "ARG"]
    assert re.fullmatch(r"PYTHON=python:3\.\d+\.\d+-slim-\w+", base)
    assert ("USER", "10001:10001") in instructions


def test_commands_of_containers_are_of_the_product() -> None:
    commands = [json.loads(rest) for word, rest in _instructions() if word == "CMD" and rest.startswith("[")]
    commands += [[str(word) for word in container["args"]] for container in _containers()]
    spark = _of_kind("SparkApplication")["spec"]
    assert [Path(jar).name for jar in spark["deps"]["jars"]] == [JAR_NAME]
    commands.append([Path(spark["mainApplicationFile"]).stem.replace("_", "-"), *spark["arguments"]])
    assert len(commands) == 4
    for words in commands:
        assert _parsed(words), words


def _containers() -> Iterator[Any]:
    yield from _of_kind("Deployment")["spec"]["template"]["spec"]["containers"]
    yield from (document for document in _manifests() if "args" in document)


def test_probes_use_ports_and_paths_of_the_product() -> None:
    port = Settings.model_fields["port"].default
    assert f"EXPOSE {port}" in DOCKERFILE
    (check,) = re.findall(r"http://127\.0\.0\.1:(\d+)(/[\w/]+)", DOCKERFILE)
    assert int(check[0]) == port
    probed = {check[1]}
    for container in _containers():
        names = {entry["name"]: entry["containerPort"] for entry in container["ports"]}
        assert all(str(number) in " ".join(map(str, container["args"])) for number in names.values())
        probes = [probe["httpGet"] for name, probe in container.items() if name.endswith("Probe")]
        assert probes
        assert {probe["port"] for probe in probes} <= set(names)
        probed |= {probe["path"] for probe in probes}
    assert probed == {"/api/v1/health", "/metrics"}
    assert "| `GET /api/v1/health` |" in (ROOT / "docs/reference/service.md").read_text(encoding="utf-8")


def test_the_deployment_never_runs_twice_and_keeps_its_home() -> None:
    deployment = _of_kind("Deployment")["spec"]
    assert (deployment["replicas"], deployment["strategy"]) == (1, {"type": "Recreate"})
    pod = deployment["template"]["spec"]
    (container,) = pod["containers"]
    home = container["args"][container["args"].index("--home") + 1]
    mounts = {mount["name"]: mount["mountPath"] for mount in container["volumeMounts"]}
    (volume,) = [volume for volume in pod["volumes"] if "persistentVolumeClaim" in volume]
    assert home.startswith(mounts[volume["name"]])
    assert volume["persistentVolumeClaim"]["claimName"] == _of_kind("PersistentVolumeClaim")["metadata"]["name"]
    ports = [entry["targetPort"] for entry in _of_kind("Service")["spec"]["ports"]]
    assert set(ports) == {entry["name"] for entry in container["ports"]}
    for manifest in _manifests():
        assert not fnmatch.filter(re.findall(r"\w+", json.dumps(manifest).lower()), "*latest")


def test_compose_opens_ports_to_this_machine_and_has_no_password() -> None:
    assert set(COMPOSE["services"]) == {"service", "kafka", "postgres"}
    for name, service in COMPOSE["services"].items():
        assert all(port.startswith("127.0.0.1:") for port in service["ports"]), name
        assert "build" in service or re.search(r":\d", service["image"]), f"{name} has no pinned image"
        for key, value in service.get("environment", {}).items():
            assert "PASSWORD" not in key or value.startswith("/run/secrets/"), key
        used = {secret: f"/run/secrets/{secret}" for secret in service.get("secrets", ())}
        assert set(used) <= set(COMPOSE["secrets"])
        volumes = [volume.partition(":")[0] for volume in service["volumes"]]
        assert {volume for volume in volumes if not volume.startswith(".")} <= set(COMPOSE["volumes"])
    (port,) = COMPOSE["services"]["service"]["ports"]
    assert port.endswith(f":{Settings.model_fields['port'].default}")
    ignored = (ROOT / ".gitignore").read_text().splitlines()
    for secret in COMPOSE["secrets"].values():
        assert f"/{Path(secret['file']).parent}/" in ignored
