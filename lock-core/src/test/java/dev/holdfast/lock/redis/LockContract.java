package dev.holdfast.lock.redis;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;

/** What a lock does on every kind of Redis, however it is reached. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
abstract class LockContract
        implements ExclusionContract,
                ReentryContract,
                LockFormsContract,
                LeaseContract,
                AcquireContract,
                HoldOptionsContract,
                LookingContract,
                ClosingContract,
                ListeningContract {

    private Stage stage;

    abstract Topology open();

    @BeforeAll
    void openStage() {
        stage = new Stage(open());
        // From here on the connections stand: the tests time locks, not handshakes.
        String first = stage.name();
        stage.here(first).lock();
        stage.here(first).unlock();
        stage.there(first).lock();
        stage.there(first).unlock();
    }

    @AfterAll
    void closeStage() {
        stage.close();
    }

    @AfterEach
    void forgetInterrupts() {
        Thread.interrupted();
    }

    @Override
    public Stage on() {
        return stage;
    }
}
