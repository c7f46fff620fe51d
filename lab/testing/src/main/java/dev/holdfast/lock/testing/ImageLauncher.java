package dev.holdfast.lock.testing;

import com.github.dockerjava.api.DockerClient;
import com.github.dockerjava.api.command.CreateContainerCmd;
import com.github.dockerjava.api.exception.NotFoundException;
import com.github.dockerjava.api.model.Bind;
import com.github.dockerjava.api.model.HostConfig;
import com.github.dockerjava.api.model.Volume;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.testcontainers.DockerClientFactory;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.startupcheck.StartupCheckStrategy;
import org.testcontainers.containers.wait.strategy.AbstractWaitStrategy;
import org.testcontainers.utility.DockerImageName;

/**
 * Runs servers as containers of one image. They share the host's network and see the server's folder under its own path,
 * as this user: so a container differs from a process in nothing that a test can see. Docker on other systems than Linux
 * does not share its network by default.
 */
record ImageLauncher(String image) implements Launcher {

    /** Fails if the image cannot be run here, and says why. */
    static ImageLauncher of(String image) {
        DockerEngine.whyNot(image).ifPresent(reason -> {
            throw new IllegalStateException("-D" + RedisSource.IMAGE + "=" + image + " was asked for, but " + reason);
        });
        return new ImageLauncher(image);
    }

    @Override
    public String origin() {
        return "image " + image;
    }

    @Override
    public Running launch(Path folder, List<String> arguments) {
        GenericContainer<?> container = new GenericContainer<>(DockerImageName.parse(image))
                .withCreateContainerCmdModifier(create -> likeAProcess(create, folder, arguments))
                .withStartupCheckStrategy(new NoCheck())
                .waitingFor(new NoWait());
        container.start();
        return new Container(container);
    }

    private static void likeAProcess(CreateContainerCmd create, Path folder, List<String> command) {
        HostConfig host = Objects.requireNonNullElseGet(create.getHostConfig(), HostConfig::new);
        host.withNetworkMode("host").withBinds(new Bind(folder.toString(), new Volume(folder.toString())));
        create.withHostConfig(host)
                .withUser(owner(folder))
                .withWorkingDir(folder.toString())
                .withEntrypoint("redis-server")
                .withCmd(command);
    }

    private static String owner(Path folder) {
        try {
            Map<String, Object> ids = Files.readAttributes(folder, "unix:uid,gid");
            return ids.get("uid") + ":" + ids.get("gid");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private record Container(GenericContainer<?> container) implements Running {

        @Override
        public boolean isAlive() {
            try {
                return Boolean.TRUE.equals(
                        docker().inspectContainerCmd(id()).exec().getState().getRunning());
            } catch (NotFoundException removed) {
                return false;
            }
        }

        @Override
        public String log() {
            return container.getLogs();
        }

        /** Testcontainers stops its containers with SIGKILL and removes them. */
        @Override
        public void kill() {
            container.stop();
        }

        @Override
        public void terminate() {
            docker().stopContainerCmd(id()).withTimeout(10).exec();
            container.stop();
        }

        @Override
        public void pause() {
            docker().pauseContainerCmd(id()).exec();
        }

        @Override
        public void resume() {
            docker().unpauseContainerCmd(id()).exec();
        }

        private String id() {
            return String.valueOf(container.getContainerId());
        }

        private static DockerClient docker() {
            return DockerClientFactory.instance().client();
        }
    }

    /** Whether the server answers is asked by whoever launched it, and in the same way for all launchers. */
    private static final class NoWait extends AbstractWaitStrategy {

        @Override
        protected void waitUntilReady() {}
    }

    /** A server that ends at once is no matter for Testcontainers either: its log says more. */
    private static final class NoCheck extends StartupCheckStrategy {

        @Override
        public StartupStatus checkStartupState(DockerClient docker, String container) {
            return StartupStatus.SUCCESSFUL;
        }
    }
}
