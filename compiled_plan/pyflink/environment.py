"""`EnvironmentSettings`, `TableEnvironment` and `StreamTableEnvironment`.

Source: PyFlink's classes of these names.
"""

from __future__ import annotations

from compiled_plan.environment import TableEnvironment as Session
from compiled_plan.planner.diagnostics.refusing import refused_method
from compiled_plan.planner.options.configuration import Configuration
from compiled_plan.planner.options.session import OPTIONS
from compiled_plan.planner.sql.context import PlanningContext
from compiled_plan.plans.errors import ProgramError, UnsupportedError
from compiled_plan.pyflink.datastream import DataStream, StreamExecutionEnvironment, table_of
from compiled_plan.table import Table

_CATALOG, _DATABASE, _MODE = "table.builtin-catalog-name", "table.builtin-database-name", "execution.runtime-mode"


def _no_batch(where: str) -> UnsupportedError:
    return UnsupportedError(
        "batch mode is not supported",
        where=where,
        remedy="write in_streaming_mode(): over bounded sources a run ends by itself, and has the same final rows; "
        "to_pandas() and sinks with a primary key have the final rows, print() and collect() also the changes to them",
    )


class _Builder:
    """Builder of `EnvironmentSettings`. Each method changes the builder and returns it."""

    def __init__(self) -> None:
        self._configuration = Configuration()

    def with_configuration(self, config: Configuration) -> _Builder:
        """Add options to those added so far."""
        self._configuration.add_all(config)
        return self

    def in_streaming_mode(self) -> _Builder:
        """Select streaming mode, the default."""
        self._configuration.set_string(_MODE, "streaming")
        return self

    def in_batch_mode(self) -> _Builder:
        """Not supported.

        Raises:
            UnsupportedError: always.
        """
        raise _no_batch("in_batch_mode()")

    def with_built_in_catalog_name(self, built_in_catalog_name: str) -> _Builder:
        """Set the name of the first catalog."""
        self._configuration.set_string(_CATALOG, built_in_catalog_name)
        return self

    def with_built_in_database_name(self, built_in_database_name: str) -> _Builder:
        """Set the name of the first database."""
        self._configuration.set_string(_DATABASE, built_in_database_name)
        return self

    def build(self) -> EnvironmentSettings:
        """Return the settings.

        Raises:
            UnsupportedError: the options select batch mode.
        """
        return EnvironmentSettings(self._configuration)


class EnvironmentSettings:
    """The options with which an environment begins.

    >>> from compiled_plan.pyflink import EnvironmentSettings, TableEnvironment
    >>> settings = EnvironmentSettings.new_instance().with_built_in_catalog_name("shop").build()
    >>> TableEnvironment.create(settings).get_current_catalog()
    'shop'

    Args:
        configuration: options by key.

    Raises:
        UnsupportedError: the options select batch mode.
    """

    Builder = _Builder

    def __init__(self, configuration: Configuration) -> None:
        if configuration.get_string(_MODE, "streaming").lower() != "streaming":
            raise _no_batch(_MODE)
        self._configuration = Configuration(configuration)

    @staticmethod
    def new_instance() -> _Builder:
        """Create a builder of settings without options."""
        return _Builder()

    @staticmethod
    def in_streaming_mode() -> EnvironmentSettings:
        """Settings of a session in streaming mode, the only one."""
        return _Builder().in_streaming_mode().build()

    @staticmethod
    def in_batch_mode() -> EnvironmentSettings:
        """Not supported.

        Raises:
            UnsupportedError: always.
        """
        return _Builder().in_batch_mode().build()

    def is_streaming_mode(self) -> bool:
        """Return True: there is no other mode."""
        return True

    def get_built_in_catalog_name(self) -> str:
        """The name of the first catalog."""
        return self._configuration.get_string(_CATALOG, OPTIONS[_CATALOG].default)

    def get_built_in_database_name(self) -> str:
        """The name of the first database."""
        return self._configuration.get_string(_DATABASE, OPTIONS[_DATABASE].default)

    def get_configuration(self) -> Configuration:
        """The options that the new session gets."""
        return self._configuration


class TableEnvironment(Session):
    """A session as PyFlink creates it; its results have PyFlink's rows.

    >>> from compiled_plan.pyflink import EnvironmentSettings, TableEnvironment
    >>> t_env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
    >>> t_env.from_elements([(1, "nut")], ["id", "item"]).get_schema().get_field_names()
    ['id', 'item']

    Args:
        configuration: options by key.
    """

    def __init__(self, configuration: Configuration | None = None) -> None:
        options = {} if configuration is None else configuration.to_dict()
        self.context = PlanningContext.new(options, mutable_rows=True)

    @staticmethod
    def create(environment_settings: EnvironmentSettings | Configuration) -> TableEnvironment:
        """Create a session.

        Args:
            environment_settings: settings, or options by key.

        Raises:
            ProgramError: neither, or an option has an invalid value.
            UnsupportedError: they select batch mode.
        """
        return TableEnvironment(_options(environment_settings))

    def create_temporary_view(
        self, view_path: str, table_or_data_stream: Table | DataStream, *fields_or_schema: object
    ) -> None:
        """Register a table as a view of this session, for SQL and `from_path`.

        Args:
            view_path: `v`, `db.v` or `catalog.db.v`.
            table_or_data_stream: the table; or a stream, as for `StreamTableEnvironment.from_data_stream`.
            fields_or_schema: only for a stream.

        Raises:
            ProgramError: the name is taken.
        """
        table = table_or_data_stream
        if isinstance(table, DataStream):
            table = table_of(self, table, fields_or_schema)
        super().create_temporary_view(view_path, table)


def _options(settings: object) -> Configuration:
    if isinstance(settings, Configuration):
        settings = EnvironmentSettings(settings)
    if not isinstance(settings, EnvironmentSettings):
        raise ProgramError(
            f"create() takes EnvironmentSettings, not {settings!r}",
            where="create()",
            remedy="write TableEnvironment.create(EnvironmentSettings.in_streaming_mode())",
        )
    return settings.get_configuration()


def _no_streams(name: str) -> object:
    return refused_method(
        f"{name}()",
        "the DataStream API is not supported",
        "write the operations behind it in the Table API, with flat_map and functions in Python for what SQL lacks; "
        "or write the table to a topic or to files, and let a program in Flink read them",
    )


class StreamTableEnvironment(TableEnvironment):
    """A session as PyFlink creates it beside a `StreamExecutionEnvironment`."""

    @staticmethod
    def create(  # type: ignore[override]
        stream_execution_environment: StreamExecutionEnvironment | None = None,
        environment_settings: EnvironmentSettings | None = None,
    ) -> StreamTableEnvironment:
        """Create a session.

        Args:
            stream_execution_environment: its options become those of the session.
            environment_settings: further options.

        Raises:
            ProgramError, UnsupportedError: as for `TableEnvironment.create`.
        """
        options = Configuration()
        if stream_execution_environment is not None:
            options.add_all(stream_execution_environment.configuration)
        if environment_settings is not None:
            options.add_all(_options(environment_settings))
        return StreamTableEnvironment(EnvironmentSettings(options).get_configuration())

    def from_data_stream(self, data_stream: DataStream, *fields_or_schema: object) -> Table:
        """The table of a stream of `StreamExecutionEnvironment.from_collection`.

        Args:
            data_stream: the stream.
            fields_or_schema: a `Schema`, or names of the columns.

        Raises:
            ProgramError: another stream, or columns that do not fit.
        """
        return table_of(self, data_stream, fields_or_schema)

    from_changelog_stream = _no_streams("from_changelog_stream")
    to_data_stream = _no_streams("to_data_stream")
    to_changelog_stream = _no_streams("to_changelog_stream")
    to_append_stream = _no_streams("to_append_stream")
    to_retract_stream = _no_streams("to_retract_stream")
