package dev.holdfast.lock.docs.site;

import dev.holdfast.lock.docs.Page;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.commonmark.ext.gfm.tables.TablesExtension;
import org.commonmark.node.AbstractVisitor;
import org.commonmark.node.FencedCodeBlock;
import org.commonmark.node.Heading;
import org.commonmark.node.Image;
import org.commonmark.node.Link;
import org.commonmark.node.Node;
import org.commonmark.node.Paragraph;
import org.commonmark.parser.Parser;
import org.commonmark.renderer.NodeRenderer;
import org.commonmark.renderer.html.HtmlRenderer;
import org.commonmark.renderer.html.HtmlWriter;
import org.commonmark.renderer.text.TextContentRenderer;

/** One page of the site. */
final class SitePage {

    private static final String SOURCES = "https://github.com/holdfast-dev/holdfast/blob/main/";
    private static final Parser PARSER =
            Parser.builder().extensions(List.of(TablesExtension.create())).build();
    private static final TextContentRenderer TEXT = TextContentRenderer.builder()
            .extensions(List.of(TablesExtension.create()))
            .build();

    /** What the search finds: a heading, with the text below it. */
    record Section(String page, String file, String heading, String anchor, String text) {

        String toJson() {
            return "[" + json(page) + "," + json(file) + "," + json(heading) + "," + json(anchor) + "," + json(text)
                    + "]";
        }

        private static String json(String text) {
            return '"'
                    + text.replace("\\", "\\\\")
                            .replace("\"", "\\\"")
                            .replaceAll("\\s+", " ")
                            .replace("</", "<\\/")
                    + '"';
        }
    }

    private final Path path;
    private final Node document;
    private final Map<Node, String> anchors = new IdentityHashMap<>();
    private final List<Path> pictures = new ArrayList<>();
    private final List<Section> sections = new ArrayList<>();
    private final String title;
    private String firstParagraph = "";

    SitePage(Page page) {
        this.path = Path.of(page.toString());
        this.document = PARSER.parse(page.text());
        this.title = page.text()
                .lines()
                .filter(line -> line.startsWith("# "))
                .findFirst()
                .orElse("# " + path)
                .substring(2)
                .replace("`", "");
        readSections();
        document.accept(new AbstractVisitor() {
            @Override
            public void visit(Link link) {
                link.setDestination(target(link.getDestination()));
                visitChildren(link);
                if (link.getFirstChild() == null) {
                    link.unlink();
                }
            }

            @Override
            public void visit(Image image) {
                if (image.getDestination().startsWith("https:")) {
                    // A badge of the repository. The site loads nothing from another host.
                    image.unlink();
                    return;
                }
                pictures.add(path.resolveSibling(image.getDestination()).normalize());
            }
        });
    }

    private void readSections() {
        Set<String> used = new HashSet<>();
        String heading = title;
        String anchor = "";
        StringBuilder text = new StringBuilder();
        for (Node node = document.getFirstChild(); node != null; node = node.getNext()) {
            if (node instanceof Heading next) {
                sections.add(new Section(title, file(), heading, anchor, text.toString()));
                text.setLength(0);
                heading = TEXT.render(next).strip();
                anchor = Page.anchor(heading, used);
                anchors.put(next, anchor);
            } else {
                String plain = TEXT.render(node);
                if (firstParagraph.isEmpty() && node instanceof Paragraph && !plain.isBlank()) {
                    firstParagraph = plain.replaceAll("\\s+", " ").strip();
                }
                text.append(plain).append(' ');
            }
        }
        sections.add(new Section(title, file(), heading, anchor, text.toString()));
        sections.removeIf(section -> section.text().isBlank());
    }

    /** Leads to a page of the site, or to the file in the repository. */
    private String target(String link) {
        if (link.startsWith("https:") || link.startsWith("#")) {
            return link;
        }
        int hash = link.indexOf('#');
        String file = hash < 0 ? link : link.substring(0, hash);
        String anchor = hash < 0 ? "" : link.substring(hash);
        Path meant = path.resolveSibling(file).normalize();
        boolean isPage = file.endsWith(".md") && Files.exists(Page.ROOT.resolve(meant));
        return isPage ? up() + fileOf(meant) + anchor : SOURCES + meant + anchor;
    }

    /** Where the site has a page of the repository. */
    static String fileOf(Path page) {
        return page.toString().replaceAll("README\\.md$", "index.html").replaceAll("\\.md$", ".html");
    }

    String file() {
        return fileOf(path);
    }

    /** The way from the page to the site's folder. */
    String up() {
        return "../".repeat(path.getNameCount() - 1);
    }

    String title() {
        return title;
    }

    String firstParagraph() {
        return firstParagraph;
    }

    List<Path> pictures() {
        return pictures;
    }

    List<Section> sections() {
        return sections;
    }

    String html() {
        return HtmlRenderer.builder()
                .extensions(List.of(TablesExtension.create()))
                .nodeRendererFactory(context -> new CodeRenderer(context.getWriter()))
                .attributeProviderFactory(context -> (node, tag, attributes) -> {
                    String anchor = anchors.get(node);
                    if (anchor != null) {
                        attributes.put("id", anchor);
                    } else if (tag.equals("table")) {
                        // What is wider than the screen can be scrolled by keyboard, too.
                        attributes.put("tabindex", "0");
                    }
                })
                .build()
                .render(document)
                // The first column often has no name.
                .replace("<th></th>", "<td></td>");
    }

    /** Renders code blocks with their colors. */
    private record CodeRenderer(HtmlWriter html) implements NodeRenderer {

        @Override
        public Set<Class<? extends Node>> getNodeTypes() {
            return Set.of(FencedCodeBlock.class);
        }

        @Override
        public void render(Node node) {
            FencedCodeBlock block = (FencedCodeBlock) node;
            String language = block.getInfo().replaceAll(" .*", "");
            html.line();
            html.tag("pre", Map.of("tabindex", "0"));
            html.tag("code");
            html.raw(Colors.html(language, block.getLiteral()));
            html.tag("/code");
            html.tag("/pre");
            html.line();
        }
    }

    static String escaped(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace("\"", "&quot;");
    }
}
