package dev.holdfast.lock.redis.contract;

import dev.holdfast.lock.redis.fixture.ContractKind;
import dev.holdfast.lock.redis.fixture.Topology;
import dev.holdfast.lock.redis.fixture.TwoClients;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ArgumentsSource;

/**
 * What a lock of any kind does on every kind of Redis, however it is reached.
 *
 * <p>One instance tests all kinds in turn on servers that are started once. What a kind does, it does alike however Redis is reached. So all of
 * the contract runs on the one topology that is tagged {@code reference}; on the others only its tests tagged {@code reach}, which
 * could depend on the connection: each script, each way to be woken, renewal, loss, and the end of a client. All kinds run these where
 * slots or rights tell scripts apart (the tag {@code every-kind}), and {@link KindProvider three} elsewhere. {@code -Pnightly} runs everything
 * everywhere.
 */
@ParameterizedClass(name = "{0}")
@ArgumentsSource(KindProvider.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Tag("contract")
public abstract class LockContract
        implements ExclusionContract,
                ReentryContract,
                LockFormsContract,
                LeaseContract,
                AcquireContract,
                HoldOptionsContract,
                LookingContract,
                RecordContract,
                ClosingContract,
                ListeningContract {

    @Parameter
    ContractKind kind;

    private Topology topology;
    private TwoClients clients;

    protected abstract Topology open();

    @BeforeAll
    void openTopology() {
        topology = open();
    }

    @AfterAll
    void closeTopology() {
        topology.close();
    }

    @BeforeParameterizedClassInvocation
    void openClients() {
        clients = new TwoClients(topology, kind);
        // From here on the connections stand: the tests time locks, not handshakes.
        String first = clients.name();
        clients.here(first).lock();
        clients.here(first).unlock();
        clients.there(first).lock();
        clients.there(first).unlock();
    }

    @AfterParameterizedClassInvocation
    void closeClients() {
        clients.close();
        clients.assertNothingStays();
    }

    @AfterEach
    void forgetInterrupts() {
        Thread.interrupted();
    }

    @Override
    public TwoClients clients() {
        return clients;
    }
}
