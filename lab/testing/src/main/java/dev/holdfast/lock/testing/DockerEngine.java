package dev.holdfast.lock.testing;

import com.github.dockerjava.api.DockerClient;
import com.github.dockerjava.api.exception.NotFoundException;
import dev.holdfast.lock.proxy.DaemonThreads;
import dev.holdfast.lock.proxy.Interrupts;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.testcontainers.DockerClientFactory;

/** The Docker engine of this machine, if there is one. */
final class DockerEngine {

    private static final int LIMIT_SECONDS = 60;

    private DockerEngine() {}

    /** Why the image cannot be run here; empty if it can. Pulls the image if need be. Answers within a minute. */
    static Optional<String> whyNot(String image) {
        CompletableFuture<Optional<String>> answer = new CompletableFuture<>();
        // On a thread of its own: without a registry Testcontainers may try for minutes to pull images of its own.
        DaemonThreads.start("docker-engine-check", () -> answer.complete(ask(image)));
        try {
            return answer.get(LIMIT_SECONDS, TimeUnit.SECONDS);
        } catch (TimeoutException e) {
            return Optional.of("the Docker engine could not bring " + image + " within " + LIMIT_SECONDS
                    + " s. Without a registry set TESTCONTAINERS_RYUK_DISABLED=true and "
                    + "TESTCONTAINERS_HOST_OVERRIDE=localhost");
        } catch (InterruptedException e) {
            throw Interrupts.rethrow(e);
        } catch (ExecutionException e) {
            return Optional.of("the Docker engine could not be asked: " + e.getCause());
        }
    }

    private static Optional<String> ask(String image) {
        try {
            if (!DockerClientFactory.instance().isDockerAvailable()) {
                return Optional.of(
                        "no Docker engine answers here: start one, or leave it out and use the embedded server");
            }
            DockerClient docker = DockerClientFactory.instance().client();
            return isPresent(docker, image) || isPulled(docker, image)
                    ? Optional.empty()
                    : Optional.of("the image " + image + " could not be pulled within " + LIMIT_SECONDS + " s");
        } catch (InterruptedException e) {
            throw Interrupts.rethrow(e);
        } catch (RuntimeException | Error e) {
            return Optional.of("the image " + image + " cannot be had: " + e.getMessage());
        }
    }

    private static boolean isPresent(DockerClient docker, String image) {
        try {
            docker.inspectImageCmd(image).exec();
            return true;
        } catch (NotFoundException absent) {
            return false;
        }
    }

    private static boolean isPulled(DockerClient docker, String image) throws InterruptedException {
        return docker.pullImageCmd(image).start().awaitCompletion(LIMIT_SECONDS, TimeUnit.SECONDS);
    }
}
