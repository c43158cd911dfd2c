package org.compiledplan.kernel.functions;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.util.ArrayList;
import java.util.List;

/**
 * A path into JSON: names, positions (negative from the end), slices, unions, `*`, `..` and `length()`.
 *
 * <p>A path with `*`, `..`, a slice or a union is indefinite: it gives an array of all it finds. A definite path
 * that leads nowhere fails in strict mode, the default, and gives null in lax mode.
 */
final class JsonPath {
    private final boolean strict;
    private final List<Step> steps = new ArrayList<>();
    private boolean length;

    /** One step: adds what it finds in `node`; false when there is nothing. */
    private interface Step {
        boolean find(JsonNode node, List<JsonNode> found);

        default boolean many() {
            return false;
        }
    }

    private JsonPath(boolean strict) {
        this.strict = strict;
    }

    /** Thrown by a path that is not one, or that leads nowhere. */
    static final class PathException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        PathException(String message) {
            super(message);
        }
    }

    static JsonPath parse(String given) {
        String text = given.trim();
        boolean lax = text.regionMatches(true, 0, "lax ", 0, 4);
        if (lax) {
            text = text.substring(4).trim();
        } else if (text.regionMatches(true, 0, "strict ", 0, 7)) {
            text = text.substring(7).trim();
        }
        JsonPath path = new JsonPath(!lax);
        path.read(text);
        return path;
    }

    boolean isStrict() {
        return strict;
    }

    /** What the path leads to; null for a JSON null, and in lax mode for nothing. */
    JsonNode evaluate(JsonNode root) {
        if (root.isNull() && strict && !steps.isEmpty()) {
            throw new PathException("the path leads nowhere");
        }
        List<JsonNode> nodes = List.of(root);
        boolean many = false;
        for (Step step : steps) {
            List<JsonNode> next = new ArrayList<>();
            for (JsonNode node : nodes) {
                if (!step.find(node, next) && !many && !step.many()) {
                    if (strict) {
                        throw new PathException("the path leads nowhere");
                    }
                    return null;
                }
            }
            many |= step.many();
            nodes = next;
        }
        JsonNode result;
        if (many) {
            ArrayNode all = JsonNodeFactory.instance.arrayNode();
            nodes.forEach(all::add);
            result = all;
        } else {
            result = nodes.get(0);
        }
        if (length) {
            return result.isContainerNode() ? IntNode.valueOf(result.size()) : null;
        }
        return result.isNull() ? null : result;
    }

    private void read(String text) {
        if (!text.startsWith("$")) {
            throw new PathException("a path begins with $: " + text);
        }
        int i = 1;
        while (i < text.length()) {
            if (text.startsWith("..", i)) {
                steps.add(DEEP);
                i += 2;
                if (i < text.length() && text.charAt(i) != '[') {
                    i = name(text, i);
                }
            } else if (text.charAt(i) == '.') {
                i = name(text, i + 1);
            } else if (text.charAt(i) == '[') {
                i = bracket(text, i + 1);
            } else {
                throw new PathException("not a path: " + text);
            }
        }
    }

    private int name(String text, int start) {
        int end = start;
        while (end < text.length() && ".[ ".indexOf(text.charAt(end)) < 0) {
            end++;
        }
        String name = text.substring(start, end);
        if (name.isEmpty()) {
            throw new PathException("not a path: " + text);
        }
        if (name.equals("*")) {
            steps.add(ALL);
        } else if (name.equals("length()") || name.equals("size()")) {
            length = true;
        } else if (name.endsWith(")")) {
            throw new PathException("function " + name + " is not known in paths");
        } else {
            steps.add(property(name));
        }
        return end;
    }

    private int bracket(String text, int start) {
        List<String> names = new ArrayList<>();
        StringBuilder plain = new StringBuilder();
        int i = start;
        while (i < text.length() && text.charAt(i) != ']') {
            char c = text.charAt(i);
            if (c == '\'' || c == '"') {
                StringBuilder name = new StringBuilder();
                for (i++; i < text.length() && text.charAt(i) != c; i++) {
                    if (text.charAt(i) == '\\' && i + 1 < text.length()) {
                        i++;
                    }
                    name.append(text.charAt(i));
                }
                names.add(name.toString());
            } else {
                plain.append(c);
            }
            i++;
        }
        if (i >= text.length()) {
            throw new PathException("a bracket is not closed: " + text);
        }
        if (names.isEmpty()) {
            positions(plain.toString().trim(), text);
        } else if (names.size() == 1) {
            steps.add(property(names.get(0)));
        } else {
            steps.add(union(names.stream().map(JsonPath::property).toList()));
        }
        return i + 1;
    }

    private void positions(String inside, String text) {
        try {
            if (inside.equals("*")) {
                steps.add(ALL);
            } else if (inside.contains(":")) {
                String[] ends = inside.split(":", -1);
                steps.add(slice(
                        ends[0].isBlank() ? null : Integer.valueOf(ends[0].trim()),
                        ends[1].isBlank() ? null : Integer.valueOf(ends[1].trim())));
            } else if (inside.contains(",")) {
                List<Step> items = new ArrayList<>();
                for (String item : inside.split(",")) {
                    items.add(position(Integer.parseInt(item.trim())));
                }
                steps.add(union(items));
            } else {
                steps.add(position(Integer.parseInt(inside)));
            }
        } catch (NumberFormatException e) {
            throw new PathException("not supported in a path: [" + inside + "] of " + text);
        }
    }

    private static Step property(String name) {
        return (node, found) -> {
            JsonNode value = node.isObject() ? node.get(name) : null;
            if (value != null) {
                found.add(value);
            }
            return value != null;
        };
    }

    private static Step position(int index) {
        return (node, found) -> {
            JsonNode value = node.isArray() ? node.get(index < 0 ? node.size() + index : index) : null;
            if (value != null) {
                found.add(value);
            }
            return value != null;
        };
    }

    /** A step that may find several values. */
    private abstract static class Many implements Step {
        @Override
        public boolean many() {
            return true;
        }
    }

    private static Step union(List<Step> items) {
        return new Many() {
            @Override
            public boolean find(JsonNode node, List<JsonNode> found) {
                items.forEach(item -> item.find(node, found));
                return true;
            }
        };
    }

    private static Step slice(Integer from, Integer to) {
        return new Many() {
            @Override
            public boolean find(JsonNode node, List<JsonNode> found) {
                int size = node.isArray() ? node.size() : 0;
                int start = from == null ? 0 : from < 0 ? Math.max(0, size + from) : from;
                int end = to == null ? size : to < 0 ? size + to : Math.min(size, to);
                for (int i = start; i < end; i++) {
                    found.add(node.get(i));
                }
                return true;
            }
        };
    }

    private static final Step ALL = new Many() {
        @Override
        public boolean find(JsonNode node, List<JsonNode> found) {
            node.forEach(found::add);
            return true;
        }
    };

    private static final Step DEEP = new Many() {
        @Override
        public boolean find(JsonNode node, List<JsonNode> found) {
            found.add(node);
            node.forEach(child -> {
                if (child.isContainerNode()) {
                    find(child, found);
                }
            });
            return true;
        }
    };
}
