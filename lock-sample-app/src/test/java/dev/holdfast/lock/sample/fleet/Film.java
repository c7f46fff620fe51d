package dev.holdfast.lock.sample.fleet;

import java.awt.image.BufferedImage;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import javax.imageio.IIOImage;
import javax.imageio.ImageIO;
import javax.imageio.ImageTypeSpecifier;
import javax.imageio.ImageWriter;
import javax.imageio.metadata.IIOMetadata;
import javax.imageio.metadata.IIOMetadataNode;
import javax.imageio.stream.ImageOutputStream;

/** The pictures of the documentation. Written where {@code -Dfleet.pictures} says, which is {@code target} unless they are to be made anew. */
final class Film {

    private static final Path FOLDER = Path.of(System.getProperty("fleet.pictures", "target"));
    private static final int FRAMES = 12;
    private static final long PAUSE_MILLIS = 1_000;

    private Film() {}

    static void picture(Page page, String name) throws IOException {
        Files.write(FOLDER.resolve(name + ".png"), page.picture());
    }

    /** A picture of a whole minute and an animated GIF of twelve seconds, only where pictures are to be made. */
    static void minute(Page page, String name, long startMillis) throws IOException, InterruptedException {
        if (System.getProperty("fleet.pictures") == null) {
            return;
        }
        long left = startMillis + 60_000 - System.currentTimeMillis();
        TimeUnit.MILLISECONDS.sleep(Math.max(0, left)); // A film shows time.
        picture(page, name);
        Path target = FOLDER.resolve(name + ".gif");
        Files.deleteIfExists(target);
        ImageWriter writer = ImageIO.getImageWritersByFormatName("gif").next();
        try (ImageOutputStream file = ImageIO.createImageOutputStream(target.toFile())) {
            writer.setOutput(file);
            writer.prepareWriteSequence(null);
            for (int i = 0; i < FRAMES; i++) {
                BufferedImage frame = ImageIO.read(new ByteArrayInputStream(page.picture()));
                writer.writeToSequence(new IIOImage(frame, null, metadata(writer, frame, i == 0)), null);
                TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS); // A film shows time.
            }
            writer.endWriteSequence();
        } finally {
            writer.dispose();
        }
    }

    private static IIOMetadata metadata(ImageWriter writer, BufferedImage frame, boolean first) throws IOException {
        IIOMetadata metadata = writer.getDefaultImageMetadata(ImageTypeSpecifier.createFromRenderedImage(frame), null);
        String format = metadata.getNativeMetadataFormatName();
        IIOMetadataNode root = (IIOMetadataNode) metadata.getAsTree(format);
        IIOMetadataNode control = child(root, "GraphicControlExtension");
        control.setAttribute("disposalMethod", "none");
        control.setAttribute("userInputFlag", "FALSE");
        control.setAttribute("transparentColorFlag", "FALSE");
        control.setAttribute("transparentColorIndex", "0");
        control.setAttribute("delayTime", Long.toString(PAUSE_MILLIS / 10));
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
