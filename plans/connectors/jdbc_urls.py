"""JDBC URLs of the databases that are known, and the parameters with which their drivers load code or use files.

Sources: the drivers' own pages on connection properties (pgJDBC 42.7, MySQL Connector/J 9, MariaDB Connector/J 3,
SQLite JDBC 3, Derby 10.16, H2 2, SQL Server 12, Oracle 23). A parameter that stands in no list here is no harmless one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple
from urllib.parse import unquote

from compiled_plan.plans.connectors.reached import Reach, Reached

_URL = re.compile(r"jdbc:(?P<name>\w+):(?P<rest>.*)", re.IGNORECASE | re.DOTALL)
_SERVER = r"(?://[^/?#;()\\\s]*+)"
#: A table's name that is no query and calls no function.
_TABLE = re.compile(r"(?:[\w$]++|\"[\w$ ]++\"|`[\w$ ]++`)(?:\.(?:[\w$]++|\"[\w$ ]++\"|`[\w$ ]++`)){0,2}+")
#: A parameter of SQL Server, whose value may be in braces.
_IN_BRACES = re.compile(r"[^;={}]*+=\{[^}]*+\}[^;]*+|[^;]++")


#: Options that name a table, or have a query instead.
_TABLES = ("table-name", "dbtable", "query", "preparequery", "sessioninitstatement")


def _names(text: str) -> frozenset[str]:
    return frozenset(text.lower().split())


@dataclass(frozen=True, slots=True)
class Driver:
    """A driver of JDBC.

    Args:
        classes: its classes.
        place: a pattern of what stands between the name of the database system and the parameters; its group `file`
            is a file.
        mark: separates parameters; the first one stands behind `?` if it is `&`.
        harmless: parameters that reach nothing else.
        files: parameters that are files.
        code: parameters that load classes, run statements, or let the server have files of this machine.
        embedded: whether the database runs in this process where `place` has a file or is in memory.
        braces: whether a value may stand in braces.
    """

    classes: tuple[str, ...]
    place: str
    mark: str
    harmless: frozenset[str]
    files: frozenset[str] = frozenset()
    code: frozenset[str] = frozenset()
    embedded: bool = False
    braces: bool = False


_ON_SERVER = rf"{_SERVER}?+[\w.\-$%/]*+"
_MYSQL = rf"(?:(?:loadbalance|replication|sequential):)?{_SERVER}/?+[\w.\-$%]*+"
_ANY_MYSQL = (
    "user password connectTimeout socketTimeout tcpKeepAlive useCompression rewriteBatchedStatements sslMode useSSL "
)

DRIVERS: Mapping[str, Driver] = {
    "postgresql": Driver(
        ("org.postgresql.Driver",),
        _ON_SERVER,
        "&",
        _names(
            "user password ssl sslmode sslnegotiation currentSchema ApplicationName connectTimeout "
            "socketTimeout loginTimeout cancelSignalTimeout tcpKeepAlive tcpNoDelay "
            "reWriteBatchedInserts prepareThreshold preparedStatementCacheQueries "
            "preparedStatementCacheSizeMiB defaultRowFetchSize stringtype binaryTransfer "
            "binaryTransferEnable binaryTransferDisable targetServerType loadBalanceHosts "
            "hostRecheckSeconds readOnly readOnlyMode options assumeMinServerVersion autosave "
            "cleanupSavepoints channelBinding gssEncMode escapeSyntaxCallMode logUnclosedConnections "
            "quoteReturningIdentifiers preferQueryMode unknownLength disableColumnSanitiser "
            "databaseMetadataCacheFields databaseMetadataCacheFieldsMiB maxResultBuffer adaptiveFetch "
            "adaptiveFetchMinimum adaptiveFetchMaximum allowEncodingChanges receiveBufferSize "
            "sendBufferSize protocolVersion hideUnprivilegedObjects logServerErrorDetail "
            "groupStartupParameters"
        ),
        _names("sslcert sslkey sslrootcert"),
        _names(
            "socketFactory socketFactoryArg sslfactory sslfactoryarg sslhostnameverifier "
            "sslpasswordcallback authenticationPluginClassName xmlFactoryFactory"
        ),
    ),
    "mysql": Driver(
        ("com.mysql.cj.jdbc.Driver", "com.mysql.jdbc.Driver"),
        _MYSQL,
        "&",
        _names(
            _ANY_MYSQL + "requireSSL verifyServerCertificate serverTimezone connectionTimeZone preserveInstants "
            "forceConnectionTimeZoneToSession useUnicode characterEncoding connectionCollation "
            "useServerPrepStmts cachePrepStmts prepStmtCacheSize prepStmtCacheSqlLimit "
            "zeroDateTimeBehavior tinyInt1isBit yearIsDateType transformedBitIsBoolean useCursorFetch "
            "defaultFetchSize autoReconnect maxReconnects initialTimeout failOverReadOnly "
            "allowPublicKeyRetrieval sendFractionalSeconds createDatabaseIfNotExist "
            "nullDatabaseMeansCurrent nullCatalogMeansCurrent useInformationSchema "
            "useLegacyDatetimeCode jdbcCompliantTruncation tlsVersions enabledTLSProtocols "
            "tlsCiphersuites cacheServerConfiguration elideSetAutoCommits useLocalSessionState "
            "maintainTimeStats noDatetimeStringSync treatUtilDateAsTimestamp useAffectedRows "
            "trustCertificateKeyStorePassword clientCertificateKeyStorePassword"
        ),
        _names("serverRSAPublicKeyFile clientCertificateKeyStoreUrl trustCertificateKeyStoreUrl"),
        _names(
            "autoDeserialize queryInterceptors statementInterceptors exceptionInterceptors "
            "authenticationPlugins connectionLifecycleInterceptors defaultAuthenticationPlugin "
            "socketFactory ha.loadBalanceStrategy loadBalanceStrategy loadBalanceExceptionChecker "
            "loadBalanceConnectionGroup serverConfigCacheFactory parseInfoCacheFactory "
            "queryInfoCacheFactory propertiesTransform clientInfoProvider logger profilerEventHandler "
            "useConfigs customCharsetMapping authenticationOpenidConnectCallbackHandler "
            "authenticationWebAuthnCallbackHandler keyManagerFactoryProvider "
            "trustManagerFactoryProvider keyStoreProvider sslContextProvider allowLoadLocalInfile "
            "allowLoadLocalInfileInPath allowUrlInLocalInfile sessionVariables"
        ),
    ),
    "mariadb": Driver(
        ("org.mariadb.jdbc.Driver",),
        _MYSQL,
        "&",
        _names(
            _ANY_MYSQL + "timezone connectionTimeZone forceConnectionTimeZoneToSession useServerPrepStmts "
            "cachePrepStmts prepStmtCacheSize useBulkStmts defaultFetchSize tinyInt1isBit "
            "transformedBitIsBoolean yearIsDateType createDatabaseIfNotExist allowMultiQueries "
            "disableSslHostnameVerification enabledSslProtocolSuites enabledSslCipherSuites "
            "permitMysqlScheme maxQuerySizeToLog autocommit connectionCollation trustStorePassword "
            "keyStorePassword keyPassword trustStoreType keyStoreType allowPublicKeyRetrieval"
        ),
        _names("serverSslCert keyStore trustStore serverRsaPublicKeyFile"),
        _names(
            "socketFactory credentialType allowLocalInfile initSql sessionVariables tlsSocketType"
        ),
    ),
    "sqlite": Driver(
        ("org.sqlite.JDBC",),
        r":memory:|(?!:)(?P<file>[^?]*+)",
        "&",
        _names(
            "journal_mode busy_timeout foreign_keys synchronous cache_size date_class date_precision "
            "date_string_format transaction_mode locking_mode case_sensitive_like recursive_triggers "
            "encoding page_size shared_cache temp_store open_mode mode cache"
        ),
        code=_names("enable_load_extension"),
        embedded=True,
    ),
    "derby": Driver(
        tuple(f"org.apache.derby.{name}Driver" for name in ("jdbc.Embedded", "jdbc.Client", "iapi.jdbc.Autoloaded")),
        rf"{_SERVER}/[\w.\-$%]*+|memory:[^;:]*+|(?:directory:)?(?!\w{{2,}}:)(?P<file>[^;]*+)",
        ";",
        _names("create user password territory collation retrieveMessageText"),
        _names("databaseName createFrom restoreFrom rollForwardRecoveryFrom logDevice"),
        embedded=True,
    ),
    "h2": Driver(
        ("org.h2.Driver",),
        rf"mem:[\w.\-]*+|(?:tcp|ssl):{_SERVER}/[^;]*+|(?:file:)?(?!\w{{2,}}:)(?P<file>[^;]*+)",
        ";",
        _names(
            "user password mode db_close_delay db_close_on_exit ifexists case_insensitive_identifiers "
            "database_to_upper database_to_lower non_keywords lock_timeout access_mode_data "
            "autocommit cache_size ignorecase schema"
        ),
        code=_names("init database_event_listener java_object_serializer authenticator authrealm"),
        embedded=True,
    ),
    "sqlserver": Driver(
        ("com.microsoft.sqlserver.jdbc.SQLServerDriver",),
        rf"{_SERVER}(?:\\\w++(?::\d++)?)?",
        ";",
        _names(
            "user userName password databaseName database serverName server portNumber port "
            "instanceName encrypt trustServerCertificate hostNameInCertificate loginTimeout "
            "socketTimeout queryTimeout lockTimeout applicationName applicationIntent "
            "multiSubnetFailover failoverPartner packetSize responseBuffering selectMethod "
            "sendStringParametersAsUnicode sendTimeAsDatetime useBulkCopyForBatchInsert "
            "connectRetryCount connectRetryInterval columnEncryptionSetting disableStatementPooling "
            "statementPoolingCacheSize trustStorePassword"
        ),
        _names("trustStore keyStoreLocation serverCertificate clientCertificate clientKey"),
        _names(
            "trustManagerClass trustManagerConstructorArg socketFactoryClass "
            "socketFactoryConstructorArg accessTokenCallbackClass jaasConfigurationName"
        ),
        braces=True,
    ),
    "oracle": Driver(
        ("oracle.jdbc.OracleDriver", "oracle.jdbc.driver.OracleDriver"),
        r"thin:[^@()\s]*+@(?:(?://|tcps?://)?[\w.\-]++(?::\d++)?[:/][\w.\-$]++)",
        "&",
        frozenset(),
        code=_names("oracle.net.wallet_location tns_admin oracle.jdbc.accessTokenProvider"),
    ),
}  # fmt: skip


class _Parameter(NamedTuple):
    name: str
    value: str


def reached(options: Mapping[str, str], settings: Iterable[str] = ()) -> Iterator[Reached]:
    """What a database's options reach beside the database.

    Args:
        options: of a table.
        settings: names of options that go to the driver as its parameters.
    """
    url = options.get("url", "")
    parts = _URL.fullmatch(url)
    driver = None if parts is None else DRIVERS.get(parts["name"].lower())
    if parts is None or driver is None:
        known = ", ".join(sorted(DRIVERS))
        yield Reached(Reach.UNKNOWN, "url", url, f"the database is none of {known}", "use one of them")
        return
    if "driver" in options and options["driver"] not in driver.classes:
        remedy = f"leave the option out, or write {driver.classes[0]!r}"
        yield Reached(
            Reach.UNKNOWN, "driver", options["driver"], "the driver is not that of the URL's database", remedy
        )
    place, _, given = parts["rest"].partition(driver.mark if driver.mark == ";" else "?")
    form = re.fullmatch(driver.place, place)
    if form is None or any(sign < " " for sign in unquote(url)):
        remedy = "write the plain form: the database's name or file, and its parameters"
        yield Reached(Reach.UNKNOWN, "url", url, "the URL has a form that is not known", remedy)
    file = None if form is None else form.groupdict().get("file")
    if file:
        yield Reached(Reach.FILE, "url", file)
    parameters = [("url", each) for each in _parameters(given, driver)]
    parameters += [(name, _Parameter(name.lower(), options[name])) for name in settings]
    for option, (name, value) in parameters:
        yield from _of_parameter(driver, option, name, value)
    is_inside = driver.embedded and not place.startswith(("//", "tcp:", "ssl:"))
    for option in _TABLES:
        if is_inside and _TABLE.fullmatch(options.get(option, "t")) is None:
            message = "a query could read any file, since the database runs in this process"
            yield Reached(Reach.UNKNOWN, option, options[option], message, "name a table or view")


def _of_parameter(driver: Driver, option: str, name: str, value: str) -> Iterator[Reached]:
    if name in driver.code:
        message = f"the parameter {name!r} loads code, or hands files of this machine over"
        yield Reached(Reach.CODE, option, value, message, "leave it out", name)
    elif name in driver.files:
        yield Reached(Reach.FILE, option, value)
    elif name not in driver.harmless and not name.endswith("password"):
        message = f"the parameter {name!r} is not known as harmless"
        yield Reached(Reach.UNKNOWN, option, value, message, "leave it out", name)


def _parameters(text: str, driver: Driver) -> Iterator[_Parameter]:
    """The parameters of a URL, names in lower case; a value in braces may have the mark in it."""
    for part in _IN_BRACES.findall(text) if driver.braces else text.split(driver.mark):
        name, _, value = part.partition("=")
        if name.strip():
            yield _Parameter(unquote(name).strip().lower(), unquote(value).strip())
