"""JDBC URLs of the known databases, and the parameters that make their drivers load code or use files.

Sources: `Driver.getPropertyInfo` of pgJDBC 42.7.14, MySQL Connector/J 9.7.0, MariaDB Connector/J 3.5.11, SQLite JDBC
3.54.1, SQL Server 12.8.1 and Oracle 23.5; for Derby 10.16 and H2 2.3, whose drivers list none there, the classes
`Attribute` and `ConnectionInfo`. Some names are of older releases. An unlisted parameter is refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from urllib.parse import unquote

from compiled_plan.plans.connectors.reached import Reach, Reached
from compiled_plan.plans.text.jdbc_parameters import parameters

_URL = re.compile(r"jdbc:(?P<name>\w+):(?P<rest>.*)", re.IGNORECASE | re.DOTALL)
_SERVER = r"(?://[^/?#;()\\\s]*+)"
#: A table name that is no query and calls no function.
_TABLE = re.compile(r"(?:[\w$]++|\"[\w$ ]++\"|`[\w$ ]++`)(?:\.(?:[\w$]++|\"[\w$ ]++\"|`[\w$ ]++`)){0,2}+")
#: A word, a number, or a list of such.
_PLAIN = re.compile(r"[\w.,:+\- ]*+")
#: Options of Spark's data source whose values become part of statements.
_IN_STATEMENTS = (
    "dbtable",
    "query",
    "preparequery",
    "sessioninitstatement",
    "createtableoptions",
    "hint",
)


def _names(text: str) -> frozenset[str]:
    return frozenset(text.lower().split())


@dataclass(frozen=True, slots=True)
class Driver:
    """JDBC driver: its classes, the form of its URLs, and the parameters that are safe."""

    classes: tuple[str, ...]
    #: Pattern of the text between the name of the database system and the parameters; a database in its group `file`
    #: or `memory` runs in this process.
    place: str
    mark: str  # separator of parameters; if it is `&`, `?` precedes the first
    harmless: frozenset[str]  # parameters that load no code and use no files
    files: frozenset[str] = frozenset()  # parameters whose values are files
    #: Parameters that load classes, run statements, or send files of this machine to the server.
    code: frozenset[str] = frozenset()
    braces: bool = False  # whether a value may be in braces
    #: True if values must be words or numbers: H2 runs `SET <parameter> <value>`, where a value may call functions,
    #: and Oracle puts the value into a descriptor, which a parenthesis in the value may extend.
    plain: bool = False
    #: True if a statement may define Java functions, which run in the process of the database.
    java: bool = False


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
            "user password ssl sslmode sslnegotiation currentSchema ApplicationName connectTimeout socketTimeout "
            "loginTimeout cancelSignalTimeout tcpKeepAlive tcpNoDelay reWriteBatchedInserts prepareThreshold "
            "preparedStatementCacheQueries preparedStatementCacheSizeMiB defaultRowFetchSize stringtype "
            "binaryTransfer binaryTransferEnable binaryTransferDisable targetServerType loadBalanceHosts "
            "hostRecheckSeconds readOnly readOnlyMode options assumeMinServerVersion autosave cleanupSavepoints "
            "channelBinding gssEncMode escapeSyntaxCallMode logUnclosedConnections quoteReturningIdentifiers "
            "preferQueryMode unknownLength disableColumnSanitiser databaseMetadataCacheFields "
            "databaseMetadataCacheFieldsMiB maxResultBuffer adaptiveFetch adaptiveFetchMinimum adaptiveFetchMaximum "
            "allowEncodingChanges receiveBufferSize sendBufferSize protocolVersion hideUnprivilegedObjects "
            "logServerErrorDetail groupStartupParameters sslpassword sslResponseTimeout gssResponseTimeout "
            "pemKeyAlgorithm queryTimeout requireAuth scramMaxIterations maxSendBufferSize "
            "reWriteBatchedInsertsSize flushCacheOnDdl convertBooleanToNumeric localSocketAddress"
        ),
        _names("sslcert sslkey sslrootcert"),
        _names(
            "socketFactory socketFactoryArg sslfactory sslfactoryarg sslhostnameverifier sslpasswordcallback "
            "authenticationPluginClassName xmlFactoryFactory connectExecutor connectExecutorArg classLoaderStrategy"
        ),
    ),
    "mysql": Driver(
        ("com.mysql.cj.jdbc.Driver", "com.mysql.jdbc.Driver"),
        _MYSQL,
        "&",
        _names(
            _ANY_MYSQL + "requireSSL verifyServerCertificate serverTimezone connectionTimeZone preserveInstants "
            "forceConnectionTimeZoneToSession useUnicode characterEncoding connectionCollation useServerPrepStmts "
            "cachePrepStmts prepStmtCacheSize prepStmtCacheSqlLimit zeroDateTimeBehavior tinyInt1isBit "
            "yearIsDateType transformedBitIsBoolean useCursorFetch defaultFetchSize autoReconnect maxReconnects "
            "initialTimeout failOverReadOnly allowPublicKeyRetrieval sendFractionalSeconds createDatabaseIfNotExist "
            "nullDatabaseMeansCurrent nullCatalogMeansCurrent useInformationSchema useLegacyDatetimeCode "
            "jdbcCompliantTruncation tlsVersions enabledTLSProtocols tlsCiphersuites cacheServerConfiguration "
            "elideSetAutoCommits useLocalSessionState maintainTimeStats noDatetimeStringSync "
            "treatUtilDateAsTimestamp useAffectedRows trustCertificateKeyStorePassword "
            "clientCertificateKeyStorePassword allowMultiQueries trustCertificateKeyStoreType "
            "clientCertificateKeyStoreType characterSetResults passwordCharacterEncoding tcpNoDelay tcpRcvBuf "
            "tcpSndBuf tcpTrafficClass localSocketAddress maxAllowedPacket maxRows netTimeoutForStreamingResults "
            "clobberStreamingResults continueBatchOnError cacheResultSetMetadata cacheCallableStmts "
            "callableStmtCacheSize cacheDefaultTimeZone databaseTerm blobsAreStrings functionsNeverReturnBlobs "
            "treatMysqlDatetimeAsTimestamp autoClosePStmtStreams useColumnNamesInFindColumn "
            "useOldAliasMetadataBehavior queryTimeoutKillsConnection disconnectOnExpiredPasswords "
            "readOnlyPropagatesToServer retriesAllDown reconnectAtTxEnd secondsBeforeRetrySource "
            "queriesBeforeRetrySource useReadAheadInput useUnbufferedInput connectionAttributes"
        ),
        _names("serverRSAPublicKeyFile clientCertificateKeyStoreUrl trustCertificateKeyStoreUrl"),
        _names(
            "autoDeserialize queryInterceptors statementInterceptors exceptionInterceptors authenticationPlugins "
            "connectionLifecycleInterceptors defaultAuthenticationPlugin socketFactory ha.loadBalanceStrategy "
            "loadBalanceStrategy loadBalanceExceptionChecker loadBalanceConnectionGroup serverConfigCacheFactory "
            "parseInfoCacheFactory queryInfoCacheFactory propertiesTransform clientInfoProvider logger "
            "profilerEventHandler useConfigs customCharsetMapping authenticationOpenidConnectCallbackHandler "
            "authenticationWebAuthnCallbackHandler keyManagerFactoryProvider trustManagerFactoryProvider "
            "keyStoreProvider sslContextProvider allowLoadLocalInfile allowLoadLocalInfileInPath "
            "allowUrlInLocalInfile sessionVariables"
        ),
    ),
    "mariadb": Driver(
        ("org.mariadb.jdbc.Driver",),
        _MYSQL,
        "&",
        _names(
            _ANY_MYSQL + "timezone connectionTimeZone forceConnectionTimeZoneToSession useServerPrepStmts "
            "cachePrepStmts prepStmtCacheSize useBulkStmts defaultFetchSize tinyInt1isBit transformedBitIsBoolean "
            "yearIsDateType createDatabaseIfNotExist allowMultiQueries disableSslHostnameVerification "
            "enabledSslProtocolSuites enabledSslCipherSuites permitMysqlScheme maxQuerySizeToLog autocommit "
            "connectionCollation trustStorePassword keyStorePassword keyPassword trustStoreType keyStoreType "
            "allowPublicKeyRetrieval preserveInstants pureLocalDateTime nullDatabaseMeansCurrent "
            "nullCatalogMeansCurrent useCatalogTerm useMysqlMetadata useLocalSessionState "
            "readOnlyPropagatesToServer returnMultiValuesGeneratedIds jdbcCompliantTruncation "
            "oldModeNoPrecisionTimestamp permitNoResults maxAllowedPacket maxAllowedColumns restrictedAuth "
            "transactionIsolation metaExportedKeys uuidAsString tcpKeepIdle tcpKeepCount tcpKeepInterval "
            "tcpAbortiveClose localSocketAddress useReadAheadInput useAffectedRows useBulkStmtsForInserts "
            "disablePipeline connectionAttributes disconnectOnExpiredPasswords blankTableNameMeta retriesAllDown "
            "galeraAllowedState transactionReplay transactionReplaySize useIpForKillQuery"
        ),
        _names("serverSslCert keyStore trustStore serverRsaPublicKeyFile"),
        _names(
            "socketFactory credentialType allowLocalInfile initSql sessionVariables tlsSocketType"
        ),
    ),
    "sqlite": Driver(
        ("org.sqlite.JDBC",),
        r"(?P<memory>:memory:)|(?!:)(?P<file>[^?]*+)",
        "&",
        _names(
            "journal_mode busy_timeout foreign_keys synchronous cache_size date_class date_precision "
            "date_string_format transaction_mode locking_mode case_sensitive_like recursive_triggers encoding "
            "page_size shared_cache temp_store open_mode mode cache password automatic_index cache_spill mmap_size "
            "defer_foreign_keys fullsync journal_size_limit legacy_alter_table max_page_count read_uncommitted "
            "reverse_unordered_selects secure_delete wal_autocheckpoint limit_length limit_sql_length limit_column "
            "limit_variable_number limit_page_count jdbc.explicit_readonly jdbc.get_generated_keys"
        ),
        code=_names("enable_load_extension"),
    ),
    "derby": Driver(
        tuple(f"org.apache.derby.{name}Driver" for name in ("jdbc.Embedded", "jdbc.Client", "iapi.jdbc.Autoloaded")),
        rf"{_SERVER}/[\w.\-$%]*+|(?P<memory>memory:[^;:]*+)|(?:directory:)?(?!\w{{2,}}:)(?P<file>[^;]*+)",
        ";",
        _names("create user password bootPassword territory collation retrieveMessageText securityMechanism ssl"),
        _names("databaseName createFrom restoreFrom rollForwardRecoveryFrom logDevice traceFile traceDirectory"),
        _names("encryptionProvider"),
        java=True,
    ),
    "h2": Driver(
        ("org.h2.Driver",),
        rf"(?P<memory>mem:[\w.\-]*+)|(?:tcp|ssl):{_SERVER}/[^;]*+|(?:file:)?(?!\w{{2,}}:)(?P<file>[^;]*+)",
        ";",
        _names(
            "user password mode db_close_delay db_close_on_exit ifexists case_insensitive_identifiers "
            "database_to_upper database_to_lower non_keywords lock_timeout access_mode_data autocommit cache_size "
            "ignorecase schema schema_search_path default_lock_timeout lock_mode query_timeout network_timeout "
            "default_null_ordering variable_binary max_memory_rows max_length_inplace_lob write_delay "
            "old_information_schema referential_integrity"
        ),
        code=_names("init database_event_listener java_object_serializer authenticator authrealm"),
        plain=True,
        java=True,
    ),
    "sqlserver": Driver(
        ("com.microsoft.sqlserver.jdbc.SQLServerDriver",),
        rf"{_SERVER}(?:\\\w++(?::\d++)?)?",
        ";",
        _names(
            "user userName password databaseName database serverName server portNumber port instanceName encrypt "
            "trustServerCertificate hostNameInCertificate loginTimeout socketTimeout queryTimeout lockTimeout "
            "applicationName applicationIntent multiSubnetFailover failoverPartner packetSize responseBuffering "
            "selectMethod sendStringParametersAsUnicode sendTimeAsDatetime useBulkCopyForBatchInsert "
            "connectRetryCount connectRetryInterval columnEncryptionSetting disableStatementPooling "
            "statementPoolingCacheSize trustStorePassword trustStoreType clientKeyPassword prepareMethod "
            "lastUpdateCount serverNameAsACE iPAddressPreference TransparentNetworkIPResolution "
            "datetimeParameterType workstationID xopenStates fips sslProtocol cancelQueryTimeout "
            "enablePrepareOnFirstPreparedStatementCall serverPreparedStatementDiscardThreshold "
            "calcBigDecimalPrecision cacheBulkCopyMetadata useFmtOnly delayLoadingLobs "
            "sendTemporalDataTypesAsStringForBulkCopy maxResultBuffer"
        ),
        _names("trustStore keyStoreLocation serverCertificate clientCertificate clientKey"),
        _names(
            "trustManagerClass trustManagerConstructorArg socketFactoryClass socketFactoryConstructorArg "
            "accessTokenCallbackClass jaasConfigurationName"
        ),
        braces=True,
    ),
    "oracle": Driver(
        ("oracle.jdbc.OracleDriver", "oracle.jdbc.driver.OracleDriver"),
        r"thin:[^@()\s]*+@(?:(?://|tcps?://)?[\w.\-]++(?::\d++)?[:/][\w.\-$]++)",
        "&",
        _names(
            "user password autoCommit fixedString includeSynonyms remarksReporting defaultRowPrefetch defaultNChar "
            "processEscapes connect_timeout transport_connect_timeout retry_count retry_delay ssl_server_dn_match "
            "oracle.net.CONNECT_TIMEOUT oracle.net.OUTBOUND_CONNECT_TIMEOUT oracle.net.keepAlive "
            "oracle.net.disableOob oracle.net.ssl_server_dn_match oracle.net.ssl_version "
            "oracle.net.ssl_cipher_suites oracle.net.encryption_client oracle.net.encryption_types_client "
            "oracle.net.crypto_checksum_client oracle.net.crypto_checksum_types_client "
            "oracle.net.networkCompression oracle.net.wallet_password javax.net.ssl.keyStoreType "
            "javax.net.ssl.keyStorePassword javax.net.ssl.trustStoreType javax.net.ssl.trustStorePassword "
            "oracle.jdbc.ReadTimeout oracle.jdbc.loginTimeout oracle.jdbc.TcpNoDelay "
            "oracle.jdbc.defaultLobPrefetchSize oracle.jdbc.implicitStatementCacheSize "
            "oracle.jdbc.mapDateToTimestamp oracle.jdbc.J2EE13Compliant oracle.jdbc.timezoneAsRegion "
            "oracle.jdbc.convertNcharLiterals oracle.jdbc.editionName oracle.jdbc.fanEnabled oracle.jdbc.useNio"
        ),
        _names("javax.net.ssl.keyStore javax.net.ssl.trustStore"),
        _names(
            "wallet_location oracle.net.wallet_location tns_admin oracle.net.tns_admin "
            "oracle.jdbc.accessTokenProvider oracle.jdbc.config.file oracle.jdbc.configurationProviders "
            "oracle.jdbc.debugJDWP oracle.net.KerberosJaasLoginModule oracle.net.radius_challenge_response_handler"
        ),
        plain=True,
    ),
}  # fmt: skip


def reached(options: Mapping[str, str], settings: Iterable[str] = ()) -> Iterator[Reached]:
    """Files and code that the options of a database table reach, and parameters not known to be harmless.

    The options named in `settings` go to the driver as its parameters.
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
    place, _, text = parts["rest"].partition(driver.mark if driver.mark == ";" else "?")
    form = re.fullmatch(driver.place, place)
    if form is None or any(sign < " " for sign in unquote(url)):
        remedy = "write the plain form: the database's name or file, and its parameters"
        yield Reached(Reach.UNKNOWN, "url", url, "the URL has a form that is not known", remedy)
    groups = {} if form is None else form.groupdict()
    if groups.get("file"):
        yield Reached(Reach.FILE, "url", groups["file"])
    is_embedded = any(group is not None for group in groups.values())
    for parameter in parameters(text, driver.mark, braces=driver.braces):
        yield from _of_parameter(driver, "url", parameter.name, parameter.value)
    for name in settings:
        yield from _of_parameter(driver, name, name.lower(), options[name])
    for option in _IN_STATEMENTS:
        if is_embedded and _TABLE.fullmatch(options.get(option, "t")) is None:
            kind, could = (Reach.CODE, "run code") if driver.java else (Reach.UNKNOWN, "read any file")
            message = (
                f"the option {option!r} is part of a statement, which could {could}: the database runs in this process"
            )
            yield Reached(kind, option, options[option], message, "name a table or view alone", option)


def _of_parameter(driver: Driver, option: str, name: str, value: str) -> Iterator[Reached]:
    if name in driver.code:
        message = f"the parameter {name!r} loads code, or hands files of this machine over"
        yield Reached(Reach.CODE, option, value, message, "leave it out", name)
    elif name in driver.files:
        yield Reached(Reach.FILE, option, value)
    elif name not in driver.harmless:
        message = f"the parameter {name!r} is not known as harmless"
        yield Reached(Reach.UNKNOWN, option, value, message, "leave it out", name)
    elif driver.plain and not name.endswith(("user", "password")) and _PLAIN.fullmatch(value) is None:
        message = f"the driver could take the value of {name!r} for more than a value"
        yield Reached(Reach.CODE, option, value, message, "write a word or number", name)
