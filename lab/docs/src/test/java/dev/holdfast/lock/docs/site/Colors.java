package dev.holdfast.lock.docs.site;

import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Marks the parts of a code block that the style sheet colors: comments, texts, names and keywords. The reader's browser needs no script for it. */
final class Colors {

    /** The classes of the style sheet, in the order of the groups of each pattern. */
    private static final String[] KINDS = {"comment", "text", "mark", "word"};

    private static final String NONE = "(?!)";
    private static final String QUOTED = "\"(?:[^\"\\\\\\n]|\\\\.)*\"|'(?:[^'\\\\\\n]|\\\\.)*'";

    private static final Pattern JAVA = language(
            "//[^\\n]*|(?s:/\\*.*?\\*/)",
            "(?s:\"\"\".*?\"\"\")|" + QUOTED,
            "@\\w+",
            "\\b(?:abstract|boolean|break|case|catch|class|continue|default|do|double|else|enum|extends|final|finally|for|fun|if|implements|import"
                    + "|instanceof|int|interface|long|new|null|package|private|protected|public|record|return|static|super|suspend|switch|this"
                    + "|throw|throws|true|false|try|val|var|void|while)\\b");

    private static final Pattern SQL = language(
            "--[^\\n]*",
            "'[^'\\n]*'",
            NONE,
            "(?i:\\b(?:add|alter|and|as|bigint|by|column|create|default|delete|from|index|insert|into|key|not|null|on|or|primary|select|set|table"
                    + "|update|values|varchar|where)\\b)");

    private static final Pattern YAML =
            language("#[^\\n]*", QUOTED, "(?m:^[ -]*[\\w.\\-\\[\\]]+(?=[:=]))", "\\b(?:true|false|null)\\b");

    private static final Pattern JSON = language(
            NONE, "\"(?:[^\"\\\\\\n]|\\\\.)*\"(?!\\s*:)", "\"[^\"\\n]*\"(?=\\s*:)", "\\b(?:true|false|null)\\b");

    private static final Pattern XML = language("(?s:<!--.*?-->)", "\"[^\"\\n]*\"", NONE, "</?[\\w.:-]+|/?>");

    private static final Pattern SHELL =
            language("(?m:(?<=^|\\s)#[^\\n]*)", QUOTED, "(?<=\\s)--?[\\w-]+", "(?m:^[./\\w-]+)");

    private static final Map<String, Pattern> LANGUAGES = Map.of(
            "java",
            JAVA,
            "kotlin",
            JAVA,
            "sql",
            SQL,
            "yaml",
            YAML,
            "properties",
            YAML,
            "json",
            JSON,
            "xml",
            XML,
            "sh",
            SHELL);

    private Colors() {}

    private static Pattern language(String comment, String text, String mark, String word) {
        return Pattern.compile("(" + comment + ")|(" + text + ")|(" + mark + ")|(" + word + ")");
    }

    /** Returns the HTML of a code block's inside. */
    static String html(String language, String code) {
        Pattern pattern = LANGUAGES.get(language);
        if (pattern == null) {
            return escaped(code);
        }
        StringBuilder html = new StringBuilder();
        Matcher parts = pattern.matcher(code);
        int end = 0;
        while (parts.find()) {
            html.append(escaped(code.substring(end, parts.start())));
            html.append("<span class=\"").append(kind(parts)).append("\">");
            html.append(escaped(parts.group())).append("</span>");
            end = parts.end();
        }
        return html.append(escaped(code.substring(end))).toString();
    }

    private static String kind(Matcher parts) {
        int group = 1;
        while (parts.group(group) == null) {
            group++;
        }
        return KINDS[group - 1];
    }

    private static String escaped(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
    }
}
