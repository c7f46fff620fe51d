package dev.holdfast.lock.sample.fleet;

import java.awt.Rectangle;
import java.awt.image.BufferedImage;
import java.awt.image.DataBuffer;
import java.awt.image.IndexColorModel;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import javax.imageio.IIOImage;
import javax.imageio.ImageIO;
import javax.imageio.ImageTypeSpecifier;
import javax.imageio.ImageWriter;
import javax.imageio.metadata.IIOMetadata;
import javax.imageio.metadata.IIOMetadataNode;
import javax.imageio.stream.ImageOutputStream;

/** An endless animated GIF. All frames share 255 colors, and each has only what differs from the one before it. */
final class AnimatedGif {

    private static final int COLORS = 255;
    private static final int TRANSPARENT = COLORS;

    private final IndexColorModel palette;
    private final Map<Integer, Integer> indexes = new HashMap<>();

    private AnimatedGif(List<Film.Frame> frames) {
        Map<Integer, Integer> uses = new HashMap<>();
        for (Film.Frame frame : frames) {
            for (int color : pixels(frame.picture())) {
                uses.merge(color, 1, Integer::sum);
            }
        }
        List<Integer> colors = uses.entrySet().stream()
                .sorted(Map.Entry.<Integer, Integer>comparingByValue().reversed())
                .limit(COLORS)
                .map(Map.Entry::getKey)
                .toList();
        int[] all = new int[COLORS + 1];
        for (int i = 0; i < colors.size(); i++) {
            all[i] = colors.get(i);
        }
        palette = new IndexColorModel(8, all.length, all, 0, false, TRANSPARENT, DataBuffer.TYPE_BYTE);
        for (int color : uses.keySet()) {
            indexes.put(
                    color,
                    IntStream.range(0, colors.size())
                            .boxed()
                            .min(Comparator.comparingInt(i -> distance(color, all[i])))
                            .orElseThrow());
        }
    }

    /** Each frame is shown until the next one begins, and the last one until the end. */
    static void write(Path target, List<Film.Frame> frames, long endMillis) throws IOException {
        AnimatedGif gif = new AnimatedGif(frames);
        Files.deleteIfExists(target);
        ImageWriter writer = ImageIO.getImageWritersByFormatName("gif").next();
        try (ImageOutputStream file = ImageIO.createImageOutputStream(target.toFile())) {
            writer.setOutput(file);
            writer.prepareWriteSequence(null);
            BufferedImage before = null;
            for (int i = 0; i < frames.size(); i++) {
                Film.Frame frame = frames.get(i);
                long until = i + 1 < frames.size() ? frames.get(i + 1).atMillis() : endMillis;
                Rectangle changed = changed(before, frame.picture());
                BufferedImage image = gif.image(before, frame.picture(), changed);
                writer.writeToSequence(
                        new IIOImage(image, null, metadata(writer, changed, until - frame.atMillis(), before == null)),
                        null);
                before = frame.picture();
            }
            writer.endWriteSequence();
        } finally {
            writer.dispose();
        }
    }

    private BufferedImage image(BufferedImage before, BufferedImage frame, Rectangle part) {
        BufferedImage image = new BufferedImage(part.width, part.height, BufferedImage.TYPE_BYTE_INDEXED, palette);
        for (int y = 0; y < part.height; y++) {
            for (int x = 0; x < part.width; x++) {
                int color = frame.getRGB(part.x + x, part.y + y);
                boolean same = before != null && before.getRGB(part.x + x, part.y + y) == color;
                image.getRaster().setSample(x, y, 0, same ? TRANSPARENT : indexes.get(color));
            }
        }
        return image;
    }

    /** Returns the smallest rectangle outside which nothing has changed. */
    private static Rectangle changed(BufferedImage before, BufferedImage frame) {
        if (before == null) {
            return new Rectangle(frame.getWidth(), frame.getHeight());
        }
        Rectangle changed = new Rectangle(0, 0, -1, -1);
        for (int y = 0; y < frame.getHeight(); y++) {
            for (int x = 0; x < frame.getWidth(); x++) {
                if (before.getRGB(x, y) != frame.getRGB(x, y)) {
                    Rectangle pixel = new Rectangle(x, y, 1, 1);
                    changed = changed.isEmpty() ? pixel : changed.union(pixel);
                }
            }
        }
        return changed.isEmpty() ? new Rectangle(1, 1) : changed;
    }

    private static int[] pixels(BufferedImage image) {
        return image.getRGB(0, 0, image.getWidth(), image.getHeight(), null, 0, image.getWidth());
    }

    private static int distance(int one, int other) {
        int red = (one >> 16 & 255) - (other >> 16 & 255);
        int green = (one >> 8 & 255) - (other >> 8 & 255);
        int blue = (one & 255) - (other & 255);
        return red * red + green * green + blue * blue;
    }

    private static IIOMetadata metadata(ImageWriter writer, Rectangle part, long millis, boolean first)
            throws IOException {
        // Not for the image's own type, whose colors the writer would sort.
        IIOMetadata metadata = writer.getDefaultImageMetadata(
                ImageTypeSpecifier.createFromBufferedImageType(BufferedImage.TYPE_INT_RGB), null);
        String format = metadata.getNativeMetadataFormatName();
        IIOMetadataNode root = (IIOMetadataNode) metadata.getAsTree(format);
        IIOMetadataNode place = child(root, "ImageDescriptor");
        place.setAttribute("imageLeftPosition", String.valueOf(part.x));
        place.setAttribute("imageTopPosition", String.valueOf(part.y));
        IIOMetadataNode control = child(root, "GraphicControlExtension");
        control.setAttribute("disposalMethod", "doNotDispose");
        control.setAttribute("userInputFlag", "FALSE");
        control.setAttribute("transparentColorFlag", "TRUE");
        control.setAttribute("transparentColorIndex", String.valueOf(TRANSPARENT));
        control.setAttribute("delayTime", Long.toString(Math.max(2, millis / 10)));
        if (first) {
            IIOMetadataNode loop = new IIOMetadataNode("ApplicationExtension");
            loop.setAttribute("applicationID", "NETSCAPE");
            loop.setAttribute("authenticationCode", "2.0");
            loop.setUserObject(new byte[] {1, 0, 0});
            child(root, "ApplicationExtensions").appendChild(loop);
        }
        metadata.setFromTree(format, root);
        return metadata;
    }

    private static IIOMetadataNode child(IIOMetadataNode parent, String name) {
        for (int i = 0; i < parent.getLength(); i++) {
            if (parent.item(i).getNodeName().equals(name)) {
                return (IIOMetadataNode) parent.item(i);
            }
        }
        IIOMetadataNode made = new IIOMetadataNode(name);
        parent.appendChild(made);
        return made;
    }
}
