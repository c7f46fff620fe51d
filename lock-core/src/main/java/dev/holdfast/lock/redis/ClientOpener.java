package dev.holdfast.lock.redis;

import dev.holdfast.lock.LockKind;
import dev.holdfast.lock.internal.connection.RedisGateway;
import dev.holdfast.lock.internal.engine.ClientSettings;
import dev.holdfast.lock.internal.engine.GrantMessages;
import dev.holdfast.lock.internal.engine.HeldGrants;
import dev.holdfast.lock.internal.engine.OpenClient;
import dev.holdfast.lock.internal.engine.PendingReleases;
import dev.holdfast.lock.internal.engine.TokenMinimum;
import dev.holdfast.lock.internal.inspect.ClientName;
import dev.holdfast.lock.internal.inspect.ClientNames;
import dev.holdfast.lock.internal.inspect.LockInspector;
import dev.holdfast.lock.internal.inspect.SelfChecker;
import dev.holdfast.lock.internal.lease.Counters;
import dev.holdfast.lock.internal.lease.EventPublisher;
import dev.holdfast.lock.internal.lease.HeldLease;
import dev.holdfast.lock.internal.lease.LeaseTerms;
import dev.holdfast.lock.internal.lease.LossLog;
import dev.holdfast.lock.internal.lease.Ticker;
import dev.holdfast.lock.internal.lease.Timer;
import dev.holdfast.lock.internal.lease.Watchdog;
import dev.holdfast.lock.internal.protocol.LockKeys;
import dev.holdfast.lock.internal.protocol.LockProtocol;
import dev.holdfast.lock.internal.protocol.OwnerIds;
import dev.holdfast.lock.internal.protocol.PlainProtocol;
import dev.holdfast.lock.internal.protocol.ReadWriteProtocol;
import dev.holdfast.lock.internal.protocol.RedisKind;
import dev.holdfast.lock.internal.protocol.RenewalBatches;
import dev.holdfast.lock.internal.thread.CallbackThreads;
import dev.holdfast.lock.internal.thread.ThreadHolds;
import dev.holdfast.lock.internal.waiting.WaitingRooms;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/** Opens the parts of a client at each start. */
final class ClientOpener {

    private final RedisSource source;
    private final LockClientOptions options;
    private final ClientSettings settings;
    private final LockKeys keys;
    private final Ticker ticker;

    ClientOpener(RedisSource source, LockClientOptions options, ClientSettings settings, LockKeys keys) {
        this.source = source;
        this.options = options;
        this.settings = settings;
        this.keys = keys;
        this.ticker = options.ticker;
    }

    OpenClient open(ThreadHolds<HeldLease> holds, Counters counters) {
        Timer timer = timer("holdfast-timer");
        RedisGateway gateway = source.connect(settings.connection(), timer, ticker);
        EventPublisher events = new EventPublisher(
                options.listeners, counters, new LossLog(timer, ticker), ticker, settings.callbacks());
        Watchdog watchdog = new Watchdog(timer("holdfast-watchdog"), events, counters, ticker);
        source.started(watchdog, events);
        WaitingRooms rooms = new WaitingRooms(timer, ticker, settings.pollNanos(), counters, CallbackThreads.SHARED);
        OwnerIds owners = new OwnerIds();
        AtomicLong highestToken = new AtomicLong();
        ClientNames names = new ClientNames(
                gateway,
                keys::client,
                timer,
                owners.client(),
                options.clientName == null ? ClientName.ofThisProcess(options.applicationName) : options.clientName,
                options.clientNameLifetime,
                () -> rooms.waiters() > 0 || watchdog.held().findAny().isPresent());
        OpenClient open = new OpenClient(
                settings,
                gateway,
                rooms,
                new GrantMessages(gateway.signals(), timer, owners.client()),
                watchdog,
                events,
                new PendingReleases(timer, ticker),
                new HeldGrants(),
                holds,
                owners,
                names,
                new LockInspector(gateway, keys, names),
                timer,
                ticker,
                highestToken,
                new TokenMinimum(gateway, keys, settings.minReplicas(), highestToken),
                new AtomicBoolean(),
                keys,
                kinds(gateway));
        if (options.longHoldThreshold != null) {
            watchdog.reportLongHolds(LeaseTerms.nanos("longHoldThreshold", options.longHoldThreshold));
        }
        if (options.checkAtStart) {
            gateway.firstConnected().thenCompose(connected -> open.selfCheck()).whenComplete(SelfChecker::log);
        }
        return open;
    }

    private Timer timer(String name) {
        return options.scheduler == null ? Timer.onThread(name) : Timer.on(options.scheduler);
    }

    private Map<LockKind, RedisKind> kinds(RedisGateway gateway) {
        Map<LockKind, RedisKind> kinds = new EnumMap<>(LockKind.class);
        for (LockKind kind : LockKind.values()) {
            LockProtocol protocol = kind == LockKind.READ || kind == LockKind.WRITE
                    ? new ReadWriteProtocol(gateway, keys, options.minReplicas, kind, options.writersFirst)
                    : new PlainProtocol(gateway, keys, options.minReplicas, kind);
            // A reader's grant goes to nobody else, since the next one is as free to read as it was; a fair one never
            // past those who wait elsewhere.
            boolean passesOn = kind == LockKind.REENTRANT || kind == LockKind.WRITE || kind == LockKind.SEMAPHORE;
            RenewalBatches renewals = new RenewalBatches(protocol, gateway, ticker);
            kinds.put(kind, new RedisKind(kind, protocol, renewals, passesOn ? options.handOffs + 1 : 1));
        }
        return kinds;
    }
}
