package org.compiledplan.kernel.formats.registry;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.time.Duration;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import org.compiledplan.kernel.formats.base.RegistryException;
import org.compiledplan.kernel.values.JsonText;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Requests to a schema registry: its addresses in turn, credentials, TLS. An unreachable or
 * unavailable registry is retried for `http.connect.timeout.ms`.
 */
final class RegistryHttp {
  static final int NOT_FOUND = 404;

  private static final Logger LOG = LoggerFactory.getLogger(RegistryHttp.class);
  private static final ObjectMapper MAPPER = new ObjectMapper();
  private static final String TYPE = "application/vnd.schemaregistry.v1+json";
  private static final long PATIENCE_MS = 60_000;
  private static final long FIRST_PAUSE_MS = 100;
  private static final long LAST_PAUSE_MS = 2_000;
  private static final int TOO_MANY = 429;
  private static final int SERVER_ERROR = 500;
  private static final int OK = 300;

  private final Map<String, String> settings = new LinkedHashMap<>();
  private final String[] urls;
  private final long patience;
  private HttpClient client;

  record Answer(int status, String body) {}

  /**
   * @param text a JSON object of `url` and the settings of Confluent's client
   */
  RegistryHttp(String text) {
    for (Map.Entry<String, JsonNode> setting : JsonText.read(text).properties())
      settings.put(setting.getKey(), setting.getValue().asText());
    urls = settings.get("url").trim().split("\\s*,\\s*");
    patience = number("http.connect.timeout.ms");
  }

  /** The addresses, without credentials. */
  @Override
  public String toString() {
    StringBuilder text = new StringBuilder();
    for (String url : urls) {
      text.append(text.isEmpty() ? "" : ", ").append(url.replaceFirst("//[^/@]*@", "//"));
    }
    return text.toString();
  }

  Answer get(String path, String table) {
    return retried(path, null, table);
  }

  Answer post(String path, String body, String table) {
    return retried(path, body, table);
  }

  /** The content of a successful answer. */
  JsonNode successful(Answer answer, String table) {
    if (answer.status < OK) return content(answer);
    JsonNode content = content(answer);
    String message = content.path("message").asText("");
    throw new RegistryException(
        "the schema registry %s refuses: HTTP %s%s%s (%s)"
            .formatted(
                this,
                answer.status,
                content.has("error_code") ? ", error " + content.path("error_code").asText() : "",
                message.isEmpty() ? "" : ", " + message,
                table));
  }

  private static JsonNode content(Answer answer) {
    try {
      return MAPPER.readTree(answer.body);
    } catch (IOException e) {
      return MissingNode.getInstance();
    }
  }

  private Answer retried(String path, String body, String table) {
    long deadline = System.nanoTime() + patience * 1_000_000;
    long pause = FIRST_PAUSE_MS;
    for (int at = 0; ; at = (at + 1) % urls.length) {
      String reason;
      try {
        HttpResponse<String> response =
            client().send(request(urls[at], path, body), HttpResponse.BodyHandlers.ofString());
        if (response.statusCode() < SERVER_ERROR && response.statusCode() != TOO_MANY) {
          return new Answer(response.statusCode(), response.body());
        }
        reason = "HTTP " + response.statusCode();
      } catch (SSLException e) {
        throw new RegistryException(
            ("the schema registry %s cannot be trusted, or does not trust the keys shown: %s "
                    + "(%s)")
                .formatted(this, e.getMessage(), table));
      } catch (IOException e) {
        reason = e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new RegistryException("asking the schema registry " + this + " was interrupted");
      }
      if (System.nanoTime() >= deadline) {
        throw new RegistryException(
            "the schema registry " + this + " does not answer: " + reason + " (" + table + ")");
      }
      if (pause == FIRST_PAUSE_MS) {
        LOG.warn("waiting for the schema registry {} of {}: {}", this, table, reason);
      }
      rest(pause);
      pause = Math.min(2 * pause, LAST_PAUSE_MS);
    }
  }

  private static void rest(long millis) {
    try {
      Thread.sleep(millis);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private HttpRequest request(String url, String path, String body) {
    String plain = url.replaceFirst("//[^/@]*@", "//").replaceFirst("/+$", "");
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(plain + path))
            .timeout(Duration.ofMillis(number("http.read.timeout.ms")))
            .header("Accept", TYPE + ", application/json");
    String credentials = credentials(url);
    if (credentials != null) request.header("Authorization", credentials);
    return body == null
        ? request.GET().build()
        : request
            .header("Content-Type", TYPE)
            .POST(HttpRequest.BodyPublishers.ofString(body))
            .build();
  }

  private String credentials(String url) {
    String basic = settings.getOrDefault("basic.auth.credentials.source", "").trim();
    if (!settings.getOrDefault("bearer.auth.credentials.source", "").isBlank()) {
      return "Bearer " + settings.get("bearer.auth.token");
    }
    String info =
        basic.equalsIgnoreCase("USER_INFO")
            ? settings.get("basic.auth.user.info")
            : URI.create(url).getUserInfo();
    return info == null
        ? null
        : "Basic " + Base64.getEncoder().encodeToString(info.getBytes(StandardCharsets.UTF_8));
  }

  private synchronized HttpClient client() throws IOException {
    if (client == null) {
      HttpClient.Builder builder =
          HttpClient.newBuilder()
              .version(HttpClient.Version.HTTP_1_1)
              .connectTimeout(Duration.ofMillis(patience));
      KeyStore keys = store("keystore");
      KeyStore trusted = store("truststore");
      if (keys != null || trusted != null) builder.sslContext(context(keys, trusted));
      client = builder.build();
    }
    return client;
  }

  private long number(String name) {
    String value = settings.get(name);
    try {
      return value == null ? PATIENCE_MS : Long.parseLong(value.trim());
    } catch (NumberFormatException e) {
      throw new RegistryException(
          "the setting " + name + " of the schema registry's client is no number: " + value);
    }
  }

  private SSLContext context(KeyStore keys, KeyStore trusted) {
    try {
      KeyManager[] own = null;
      if (keys != null) {
        String password =
            settings.getOrDefault("schema.registry.ssl.key.password", password("keystore"));
        KeyManagerFactory factory =
            KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        factory.init(keys, password.toCharArray());
        own = factory.getKeyManagers();
      }
      TrustManager[] others = null;
      if (trusted != null) {
        TrustManagerFactory factory =
            TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        factory.init(trusted);
        others = factory.getTrustManagers();
      }
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(own, others, null);
      return context;
    } catch (GeneralSecurityException e) {
      throw new RegistryException(
          "the keys for the schema registry " + this + " cannot be used: " + e.getMessage());
    }
  }

  private String password(String kind) {
    return settings.getOrDefault("schema.registry.ssl." + kind + ".password", "");
  }

  /** A key store or trust store; null if none is configured. */
  private KeyStore store(String kind) {
    String place = settings.get("schema.registry.ssl." + kind + ".location");
    if (place == null) return null;
    try {
      return KeyStore.getInstance(new File(place), password(kind).toCharArray());
    } catch (IOException | GeneralSecurityException e) {
      throw new RegistryException(
          "the %s %s for the schema registry cannot be read: %s"
              .formatted(kind, place, e.getMessage()));
    }
  }
}
