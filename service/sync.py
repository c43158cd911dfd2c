"""`plan-service sync`: import pipelines from a folder into the registry, or export them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Literal

from compiled_plan.plans.errors import CompiledPlanError, UnsupportedError
from compiled_plan.plans.text.masking import masked, masked_json, masked_program
from compiled_plan.service.registry import programs
from compiled_plan.service.registry.folders import PipelineFolder, folders_in, read_folder, write_folder
from compiled_plan.service.registry.parts import Parts
from compiled_plan.service.store import blobs, listing, pipelines, versions
from compiled_plan.service.store.errors import NotFoundError
from compiled_plan.service.store.tables import Pipeline, Version
from compiled_plan.service.workers import tasks

Word = Literal["new", "same", "waits", "failed", "written"]


@dataclass(frozen=True, slots=True)
class Synced:
    """The result for one pipeline.

    Args:
        name: the pipeline.
        did: "new" version in force, "same" as before, "waits" to be put in force, "failed", or "written" to the folder.
        version: the number of the version; 0 for none.
        message: an explanation.
        remedy: what to do.
    """

    name: str
    did: Word
    version: int = 0
    message: str = ""
    remedy: str = ""

    def to_dict(self) -> dict[str, object]:
        return asdict(self)


def import_folder(parts: Parts, root: Path, by: str, comment: str = "", *, force: bool = False) -> Iterator[Synced]:
    """Import the pipelines of a folder into the registry, one by one; a failure does not affect the others.

    Args:
        parts: the parts of the service.
        root: the folder; its Python programs are allowed.
        by: the author of the new versions.
        comment: the comment of the new versions.
        force: put a version in force even if it cannot restore all state.
    """
    settings = parts.settings.model_copy(update={"programs": (*parts.settings.programs, root.resolve())})
    parts = replace(parts, settings=settings)
    for folder in folders_in(root):
        try:
            yield _import(parts, read_folder(folder), by, comment, force)
        except CompiledPlanError as fault:
            yield _failed(folder.name, fault)


def _import(parts: Parts, folder: PipelineFolder, by: str, comment: str, force: bool) -> Synced:
    with parts.database.write() as session:
        try:
            pipeline = pipelines.find(session, folder.name)
        except NotFoundError:
            pipeline = pipelines.create(session, folder.name, folder.description or "", by)
        facts = {"description": folder.description, "owner": folder.owner, "tags": folder.tags}
        changes = {key: value for key, value in facts.items() if value not in (None, getattr(pipeline, key))}
        if changes:
            pipelines.change(session, pipeline, **changes)
        old = versions.find(session, pipeline, pipeline.in_force) if pipeline.in_force else None
        tag = pipelines.etag(pipeline)
        before = None
        if old is not None:
            texts = versions.plan_text(session, old), versions.program_text(session, old)
            before = programs.Before(old.number, *texts, old.options)
    new = _new_version(parts, folder, before, comment)
    verdict = "full"
    if before is not None:
        names = {"old_name": "old", "new_name": "new"}
        verdict = str(parts.workers.run_once(tasks.stored.diff, old=before.plan, new=new.plan, **names)["verdict"])
    accepted = force or verdict == "full"
    with parts.database.write() as session:
        pipeline = pipelines.find_unmoved(session, folder.name, tag)
        if old is not None and _is(new, old):
            return Synced(folder.name, "same", old.number)
        newest = versions.find(session, pipeline, pipeline.newest) if pipeline.newest else None
        if newest is not None and _is(new, newest) and not accepted:
            return _waits(folder.name, newest.number, verdict)
        version = versions.add(session, pipeline, new, by, in_force=accepted)
        if not accepted:
            return _waits(folder.name, version.number, verdict)
        return Synced(folder.name, "new", version.number, _replaced(pipeline, old))


def _new_version(
    parts: Parts, folder: PipelineFolder, before: programs.Before | None, comment: str
) -> versions.NewVersion:
    """A version from a pipeline's folder."""
    programs.check_size(parts.settings, folder.tests or "")
    if folder.plan is None:
        file = str(folder.file.resolve()) if folder.language == "python" else ""
        text = (folder.program or "") if folder.language == "sql" else ""
        source = programs.Source(folder.language, text, file, folder.options)
        return programs.prepare(parts, source, before, comment, "import", folder.tests).version
    plan = programs.Source("", folder.plan)
    version = programs.prepare(parts, plan, before, comment, "import", folder.tests).version
    origin = str(folder.file) if folder.language else ""
    return replace(version, program=folder.program, language=folder.language, options=folder.options, origin=origin)


def _is(new: versions.NewVersion, version: Version) -> bool:
    program = None if new.program is None else blobs.digest(new.program)
    same = (blobs.digest(new.plan), program) == (version.plan_hash, version.program_hash)
    return same and (new.tests is None or versions.tests_digest(new.tests) == version.tests_hash)


def _waits(name: str, number: int, verdict: str) -> Synced:
    return Synced(
        name,
        "waits",
        number,
        f"version {number} cannot restore all state of the version in force ({verdict})",
        "review the differences and put it in force, or give --force",
    )


def _replaced(pipeline: Pipeline, old: Version | None) -> str:
    """A message if the import replaces a version that was not imported."""
    if old is None or old.kind == "import":
        return ""
    return f"version {old.number} of {old.created_by} ({old.kind}), which is not in the folder, is no longer in force"


def export_folder(parts: Parts, root: Path, *, secrets: bool = False) -> Iterator[Synced]:
    """Write the versions in force to a folder.

    Args:
        parts: the parts of the service.
        root: the folder, created if it does not exist.
        secrets: write passwords, too; otherwise a pipeline with passwords fails.
    """
    cursor = ""
    while True:
        with parts.database.read() as session:
            page = listing.page(session, limit=100, cursor=cursor)
            for item in page.items:
                pipeline = item.pipeline
                if not pipeline.in_force:
                    continue
                version = versions.find(session, pipeline, pipeline.in_force)
                folder = PipelineFolder(
                    pipeline.name,
                    root / pipeline.name,
                    version.language,
                    versions.program_text(session, version),
                    versions.plan_text(session, version),
                    pipeline.description,
                    version.options,
                    pipeline.owner,
                    pipeline.tags,
                    versions.tests_text(session, version),
                )
                yield _export(root, folder, version.number, secrets)
        cursor = page.cursor
        if not cursor:
            return


def _export(root: Path, folder: PipelineFolder, number: int, secrets: bool) -> Synced:
    secret = _has_secrets(folder)
    try:
        if secret and not secrets:
            raise UnsupportedError("the pipeline has passwords", remedy="give --with-secrets to write them, too")
        return Synced(folder.name, "written" if write_folder(root, folder, secret=secret) else "same", number)
    except CompiledPlanError as fault:
        return _failed(folder.name, fault, number)


def _failed(name: str, fault: CompiledPlanError, number: int = 0) -> Synced:
    where = f" ({fault.where})" if fault.where else ""
    return Synced(name, "failed", number, f"{fault.message}{where}", fault.remedy)


def _has_secrets(folder: PipelineFolder) -> bool:
    plan = json.loads(folder.plan or "null")
    shown = masked_json(plan), masked_program(folder.program or ""), masked(folder.options)
    return shown != (plan, folder.program or "", folder.options)
