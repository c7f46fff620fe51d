package dev.holdfast.lock.testing;

import java.nio.file.Path;
import java.util.List;

/** Runs servers as containers of one image. */
record ImageLauncher(String image) implements Launcher {

    static ImageLauncher of(String image) {
        return new ImageLauncher(image);
    }

    @Override
    public String origin() {
        return "image " + image;
    }

    @Override
    public Running launch(Path folder, List<String> arguments) {
        throw new UnsupportedOperationException("Containers are not supported yet: unset redis.image");
    }
}
