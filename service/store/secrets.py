"""Secrets to which programs refer: encrypted in the database, and readable by runs and previews alone."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import NamedTemporaryFile

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from sqlalchemy import select
from sqlalchemy.orm import Session

from compiled_plan.plans.errors import ExecutionError, PlanError
from compiled_plan.plans.files import quoted
from compiled_plan.plans.files.faults import reason
from compiled_plan.plans.text.concealing import conceal
from compiled_plan.service.store import pipelines
from compiled_plan.service.store.errors import NotFoundError
from compiled_plan.service.store.tables import Secret

#: All pipelines, in the scope of a secret.
ALL = "*"


class Vault:
    """Encryption of secrets with the keys of a file.

    Args:
        file: the file, whose mode is 0600: Fernet keys, one a line. The first one encrypts, all of them decrypt.
    """

    def __init__(self, file: Path) -> None:
        self.file = file

    def encrypt(self, name: str, value: str) -> bytes:
        """The ciphertext of a secret; creates the key file if it does not exist.

        Raises:
            ExecutionError: the key file cannot be read or created.
        """
        if not self.file.exists():
            self._create()
        # The name is encrypted, too, so that no value takes the place of another in the database.
        return MultiFernet(self._keys()).encrypt(json.dumps([name, value]).encode())

    def decrypt(self, name: str, stored: bytes) -> str:
        """The value of a secret, which messages of this process hide from now on.

        Raises:
            ExecutionError: the key file cannot be read, or has not the key of this value.
        """
        try:
            known, value = json.loads(MultiFernet(self._keys()).decrypt(stored))
        except InvalidToken:
            known, value = "", ""
        if known != name:
            raise ExecutionError(
                f"the secret {name!r} cannot be decrypted with the keys of {quoted(self.file)}",
                remedy="restore the key file, or set the secret again",
            )
        conceal(value)
        return str(value)

    def rotate(self, session: Session) -> None:
        """Encrypt all values with the first key, so that the others can be removed from the file.

        Raises:
            ExecutionError: the key file cannot be read, or has not the key of a value.
        """
        if not self.file.exists():
            return
        newest = self._keys()[0]
        for secret in session.scalars(select(Secret)):
            try:
                newest.decrypt(secret.value)
            except InvalidToken:
                secret.value = self.encrypt(secret.name, self.decrypt(secret.name, secret.value))

    def _create(self) -> None:
        try:
            # The file appears with its content: neither a second request nor a restart reads half of a key.
            with NamedTemporaryFile(dir=self.file.parent) as file:
                file.write(Fernet.generate_key() + b"\n")
                file.flush()
                os.link(file.name, self.file)
        except FileExistsError:
            pass  # Another request has created it.
        except OSError as fault:
            raise ExecutionError(
                f"the key of the secrets cannot be created in {quoted(self.file)}: {reason(fault)}",
                remedy="correct `secrets_key` in the settings",
            ) from None

    def _keys(self) -> list[Fernet]:
        try:
            with self.file.open("rb") as file:
                mode = stat.S_IMODE(os.fstat(file.fileno()).st_mode)
                lines = file.read().split()
            if mode & (stat.S_IRWXG | stat.S_IRWXO):
                raise ExecutionError(
                    f"other users may access the key of the secrets, {quoted(self.file)}: its mode is {mode:04o}",
                    remedy="chmod 600, and replace the key and the secrets",
                )
            keys = [Fernet(line) for line in lines]
        except OSError as fault:
            raise ExecutionError(
                f"the key of the secrets cannot be read from {quoted(self.file)}: {reason(fault)}",
                remedy="restore the file, or set the secrets again",
            ) from None
        except ValueError:
            keys = []
        if not keys:
            raise ExecutionError(
                f"the key file of the secrets is damaged: {quoted(self.file)}",
                remedy="restore it, or remove it and set the secrets again",
            )
        return keys


def listed(session: Session) -> Sequence[Secret]:
    return session.scalars(select(Secret).order_by(Secret.name)).all()


def put(
    session: Session, vault: Vault, name: str, value: str, scope: Sequence[str], *, previews: bool, by: str
) -> Secret:
    """Set a secret, or replace it.

    Args:
        session: the database session.
        vault: the encryption.
        name: its name.
        value: its value.
        scope: the pipelines that may use it; `ALL` for all.
        previews: whether previews, which editors start, may use it.
        by: the author.
    """
    stored = vault.encrypt(name, value)
    secret = Secret(
        name=name, value=stored, pipelines=list(scope), previews=previews, changed_at=pipelines.now(), changed_by=by
    )
    return session.merge(secret)


def remove(session: Session, name: str) -> None:
    """Remove a secret.

    Raises:
        NotFoundError: the secret does not exist.
    """
    secret = session.get(Secret, name)
    if secret is None:
        raise NotFoundError(f"there is no secret {name}", where=name, remedy="GET /api/v1/secrets lists them")
    session.delete(secret)


def values_for(
    session: Session, vault: Vault, pipeline: str, names: Sequence[str], *, preview: bool = False
) -> Mapping[str, str]:
    """The values of the secrets to which a plan refers.

    Args:
        session: the database session.
        vault: the encryption.
        pipeline: the name of the pipeline; empty for a preview without one.
        names: the names of the secrets.
        preview: True for a preview.

    Raises:
        PlanError: secrets that do not exist, or not for this pipeline or previews; names them all.
        ExecutionError: a secret cannot be decrypted.
    """
    known = {secret.name: secret for secret in session.scalars(select(Secret).where(Secret.name.in_(names)))}
    allowed = {
        name: secret
        for name, secret in known.items()
        if (ALL in secret.pipelines or pipeline in secret.pipelines) and (secret.previews or not preview)
    }
    missing = [name for name in names if name not in allowed]
    if missing:
        use = "a preview" if preview else f"the pipeline {pipeline!r}"
        raise PlanError(
            f"{use} may use no {'secret' if len(missing) == 1 else 'secrets'} {', '.join(missing)}",
            remedy="ask an operator to set it, or to allow it (PUT /api/v1/secrets/NAME)",
        )
    return {name: vault.decrypt(name, allowed[name].value) for name in names}
