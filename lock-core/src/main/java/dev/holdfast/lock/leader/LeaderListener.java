package dev.holdfast.lock.leader;

/**
 * Receives the events of an election in this instance: granted and revoked in turn, one at a time, on a thread of the library. An exception that a
 * listener throws is logged. A listener that blocks delays later events, and {@link LeaderElection} says what else.
 */
public interface LeaderListener {

    /** Called when this instance became the leader. The leadership may already be over: {@link LeaderElection#isLeader()} tells. */
    default void onGranted(LeaderEvent.Granted event) {}

    /** Called when this instance is no longer the leader. This instance is a candidate again only after this method has returned. */
    default void onRevoked(LeaderEvent.Revoked event) {}
}
